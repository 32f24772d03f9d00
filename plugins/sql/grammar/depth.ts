// Bounds how deep the tree of a statement becomes before the grammar sees it: it works on a small stack that must not overflow.
// Of long chains of AND, OR and UNION it would make trees as deep as they are long: parentheses around some of their terms keep these flat.
import { DbError } from '../../../core/index.ts'
import type { Canonical } from '../text/canonical.ts'
import { isToken, type Token, tokenText } from '../text/token.ts'

/** Steps from the root of the tree to its deepest leaf, counted generously. The grammar takes about 700. */
const maxDepth = 400

/** Tokens of one query. */
const maxTokens = 200_000

/** Operators of a chain that stays as it is. */
const shortChain = 40

const clauses = new Set(
  'select from where group order having qualify limit offset join on when then else with as by window'.split(' ')
)
const sets = new Set(['union', 'except', 'intersect'])
const behindSets = ['all', 'distinct', 'by', 'name']

/** Terms joined by one kind of operator: the first token, and those of the operators. */
interface Chain {
  /** Undefined where the first terms stay as they are. */
  readonly first: number | undefined
  /** Where an operator stands, and the term behind it begins. */
  readonly links: { readonly at: number; readonly next: number }[]
}

/** One level of brackets: what has been read of the current item of its list. */
interface Level {
  or: Chain
  and: Chain
  /** Queries joined by UNION, EXCEPT and INTERSECT; before the first one a WITH may stand that is for all of them. */
  readonly queries: Chain
  /** `BETWEEN` whose AND has not come yet. */
  between: number
  /** Operators that join terms: `AND`, `OR`, `UNION` … */
  links: number
  /** Operators of the current term, and of the longest one. */
  term: number
  longestTerm: number
  /** Depth of the deepest brackets in the item, and of the deepest item before. */
  inner: number
  best: number
}

/** Throws `InvalidArguments` for a query the grammar could not take. */
export function checkDepth(tokens: readonly Token[]): void {
  if (tokens.length > maxTokens)
    throw tooDeep(`has ${tokens.length} words and signs, at most ${maxTokens} are allowed`, shorterConditions)
  findChains(tokens)
}

/** The text with parentheses around parts of long chains, in the place of spaces: everything stays where it is. */
export function groupChains(text: string, { tokens, starts }: Canonical): string {
  const characters: [number, string][] = []
  for (const chain of findChains(tokens)) {
    const size = Math.ceil(Math.sqrt(chain.links.length))
    let first = chain.first
    for (let i = size; i < chain.links.length; i += size) {
      const link = chain.links[i]!
      const open = first === undefined ? -1 : starts[first]! - 1
      const close = starts[link.at - 1]! + tokenText(tokens[link.at - 1]!).length
      if (text[open] === ' ' && text[close] === ' ') characters.push([open, '('], [close, ')'])
      first = link.next
    }
  }
  const parts: string[] = []
  let at = 0
  for (const [offset, character] of characters.sort(([a], [b]) => a - b)) {
    parts.push(text.slice(at, offset), character)
    at = offset + 1
  }
  return parts.join('') + text.slice(at)
}

/** Chains of OR, those of AND between them, and those of queries, that are long. Throws where something is too deep. */
function findChains(tokens: readonly Token[]): Chain[] {
  const found: Chain[] = []
  const keep = (...chains: readonly Chain[]) => found.push(...chains.filter(({ links }) => links.length > shortChain))
  const levels: Level[] = [openLevel(0)]
  tokens.forEach((token, i) => {
    const level = levels.at(-1)!
    const word = token.kind === 'word' ? token.value.toLowerCase() : ''
    const isBehindOperand = i > 0 && endsOperand(tokens[i - 1]!)
    if (isBracket(token, '([{')) {
      if (token.value === '[' && isBehindOperand) level.term++
      levels.push(openLevel(i + 1))
    } else if (isBracket(token, ')]}') && levels.length > 1) {
      keep(level.or, level.and, level.queries)
      levels.pop()
      const outer = levels.at(-1)!
      outer.inner = Math.max(outer.inner, depthOf(level) + 2)
    } else if (isToken(token, ',') || clauses.has(word)) {
      // Items of a list and clauses stand side by side; set operations go on behind them.
      keep(level.or, level.and)
      const links = isToken(token, ',') ? 0 : level.links
      levels[levels.length - 1] = { ...openLevel(i + 1), queries: level.queries, links, best: depthOf(level) }
    } else if (sets.has(word)) {
      keep(level.or, level.and)
      let next = i + 1
      while (behindSets.some(behind => isToken(tokens[next], behind))) next++
      level.queries.links.push({ at: i, next })
      levels[levels.length - 1] = { ...endTerm(level), ...openChains(next) }
    } else if (word === 'and' || word === 'or') {
      endTerm(level)
      if (word === 'or') {
        keep(level.and)
        level.or.links.push({ at: i, next: i + 1 })
        level.and = { first: i + 1, links: [] }
      } else if (level.between > 0) level.between--
      else level.and.links.push({ at: i, next: i + 1 })
    } else {
      if (word === 'between') level.between++
      const isOperator = token.kind === 'symbol' ? token.value !== '.' : word !== '' && isBehindOperand
      if (isOperator) level.term++
    }
    if (levels.length > maxDepth / 2 || depthOf(levels.at(-1)!) > maxDepth)
      throw tooDeep(`nests more than ${maxDepth} levels deep`, insteadOf(levels.at(-1)!))
  })
  for (const { or, and, queries } of levels) keep(or, and, queries)
  return found
}

function openLevel(first: number): Level {
  return {
    ...openChains(first),
    queries: { first: undefined, links: [] },
    links: 0,
    term: 0,
    longestTerm: 0,
    inner: 0,
    best: 0
  }
}

function openChains(first: number): Pick<Level, 'or' | 'and' | 'between'> {
  const chain = (): Chain => ({ first, links: [] })
  return { or: chain(), and: chain(), between: 0 }
}

function endTerm(level: Level): Level {
  level.links++
  level.longestTerm = Math.max(level.longestTerm, level.term)
  level.term = 0
  return level
}

function depthOf({ links, term, longestTerm, inner, best }: Level): number {
  const chain = links <= shortChain ? links : 2 * Math.ceil(Math.sqrt(links)) + 2
  return Math.max(best, chain + Math.max(term, longestTerm) + inner)
}

function isBracket({ kind, value }: Token, brackets: string): boolean {
  return kind === 'symbol' && brackets.includes(value)
}

function endsOperand(token: Token): boolean {
  return token.kind !== 'symbol' || isBracket(token, ')]}')
}

const shorterConditions = 'write long conditions as IN lists or join a VALUES list'

/** What to write where a level is too deep: operators in a row nest, the arguments of a call do not. */
function insteadOf({ links, term, longestTerm }: Level): string {
  if (Math.max(term, longestTerm) > maxDepth / 2)
    return 'write concat(a, b, …) for long chains of ||, list_sum([a, b, …]) for those of +'
  return links > 0 ? shorterConditions : 'name subqueries in WITH'
}

function tooDeep(what: string, instead: string): DbError {
  return new DbError('InvalidArguments', `the statement ${what}: ${instead}`)
}
