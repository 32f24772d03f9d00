// Bounds how deep the tree of a statement can become before the grammar sees it: it works on a small stack that must not overflow.
import { DbError } from '../../../core/index.ts'
import { isToken, type Token } from '../text/token.ts'

/** Steps from the root of the tree to its deepest leaf, counted generously. The grammar takes about 700. */
const deepest = 400

/** Tokens of one query. */
const longest = 200_000

/** One level of parentheses: what has been counted in the current item of its list. */
interface Level {
  /** Operators that join terms: `AND`, `OR`, `UNION` … */
  links: number
  /** Operators of the current term. */
  term: number
  /** Of the longest term so far. */
  longestTerm: number
  /** Of the deepest parentheses in the item. */
  inner: number
  /** Of the deepest item before. */
  best: number
}

const links = ['and', 'or', 'union', 'except', 'intersect']
const clauses = new Set(
  'select from where group order having qualify limit offset join on when then else with as by window'.split(' ')
)

/** Throws `InvalidArguments` for a query the grammar could not take. */
export function checkDepth(tokens: readonly Token[]): void {
  if (tokens.length > longest) throw tooDeep(`has ${tokens.length} words and signs, at most ${longest} are allowed`)
  const levels: Level[] = [open()]
  tokens.forEach((token, i) => {
    const level = levels.at(-1)!
    if (opens(token)) {
      if (token.value === '[' && i > 0 && endsOperand(tokens[i - 1]!)) level.term++
      levels.push(open())
    } else if (closes(token) && levels.length > 1) {
      const depth = cost(levels.pop()!) + 2
      const outer = levels.at(-1)!
      outer.inner = Math.max(outer.inner, depth)
    } else count(level, token, tokens[i - 1])
    if (levels.length > deepest / 2 || cost(levels.at(-1)!) > deepest)
      throw tooDeep(`nests more than ${deepest} levels deep`)
  })
}

function open(): Level {
  return { links: 0, term: 0, longestTerm: 0, inner: 0, best: 0 }
}

function cost({ links, term, longestTerm, inner, best }: Level): number {
  return Math.max(best, links + Math.max(term, longestTerm) + inner)
}

function count(level: Level, token: Token, before: Token | undefined): void {
  if (isToken(token, ',') || (token.kind === 'word' && clauses.has(token.value.toLowerCase()))) {
    // Items of a list and clauses stand side by side; set operations go on behind them.
    level.best = Math.max(level.best, cost(level))
    level.term = level.longestTerm = level.inner = 0
    if (isToken(token, ',')) level.links = 0
  } else if (links.some(word => isToken(token, word))) {
    level.links++
    level.longestTerm = Math.max(level.longestTerm, level.term)
    level.term = 0
  } else if (token.kind === 'symbol') {
    if (token.value !== '.') level.term++
  } else if (token.kind === 'word' && before !== undefined && endsOperand(before)) level.term++
}

function opens(token: Token): boolean {
  return token.kind === 'symbol' && '([{'.includes(token.value)
}

function closes(token: Token): boolean {
  return token.kind === 'symbol' && ')]}'.includes(token.value)
}

function endsOperand(token: Token): boolean {
  return token.kind !== 'symbol' || closes(token)
}

function tooDeep(what: string): DbError {
  return new DbError(
    'InvalidArguments',
    `the statement ${what}: write long conditions as IN lists or join a VALUES list`
  )
}
