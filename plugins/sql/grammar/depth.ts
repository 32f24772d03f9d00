// Bounds how deep the tree of a statement becomes before the grammar sees it: it works on a small stack that must not overflow.
// Of long chains of AND, OR, UNION, +, * and || it would make trees as deep as they are long: parentheses around some of their terms keep these flat.
import type { DbError } from '../../../core/index.ts'
import { invalid } from '../error.ts'
import { caseStep, isWithin } from '../text/brackets.ts'
import type { Canonical } from '../text/canonical.ts'
import { isToken, type Token } from '../text/token.ts'

/** Steps from the root of the tree to its deepest leaf, counted generously. The grammar takes about 700. */
const maxDepth = 400

/** Tokens of one query. */
const maxTokens = 200_000

/** Operators in a row: the engine's time for them grows with the cube of their number, and is a second here. */
const maxChainLength = 500

/** Operators of a chain that stays as it is. */
const shortChain = 40

const clauses = new Set(
  'select from where group order having qualify limit offset join on when then else with as by window'.split(' ')
)
const sets = new Set(['union', 'except', 'intersect'])
const links = new Set([...sets, 'and', 'or'])
const behindSets = ['all', 'distinct', 'by', 'name']

/** ANDs in a row that the engine gets as they are: its time to plan them grows with the square of their number, and is some 20 ms here. */
const maxFlatAnds = 500

/** Terms joined by one kind of operator: where each of these stands, and where the term behind it begins. */
type Chain = { readonly at: number; readonly next: number }[]

/** One level of brackets, or of CASE and END: what has been read of the current item of its list. */
interface Level {
  readonly isCase: boolean
  or: Chain
  and: Chain
  /** The current chains of `||`, of `+` and of `*`, each of which binds closer than the one before. */
  readonly operators: Chain[]
  /** Queries joined by UNION, EXCEPT and INTERSECT. */
  readonly queries: Chain
  /** `BETWEEN` whose AND has not come yet. */
  between: number
  /** Operators that join terms: `AND`, `OR`, `UNION` … */
  links: number
  /** Other operators of the current term, and the depth of the deepest one. */
  term: number
  longestTerm: number
  /** Depth of the deepest brackets in the item, and of the deepest item before. */
  inner: number
  best: number
}

/** Throws `InvalidArguments` for a query the grammar could not take. */
export function checkDepth(tokens: readonly Token[]): void {
  findChains(tokens)
}

/** With spaces around the operators of long chains, where parentheses can stand. */
export function spaceChains(tokens: readonly Token[]): readonly Token[] {
  const count = tokens.reduce((sum, token) => sum + Number(token.kind === 'symbol' && '+*|'.includes(token.value)), 0)
  if (count <= shortChain) return tokens
  return tokens.map((token, i) => {
    const isOperator = (at: number) => operatorAt(tokens, at) >= 0
    const isBehind = isOperator(i - 1) ? !isToken(tokens[i - 1], '|') : isOperator(i - 2) && isToken(tokens[i - 2], '|')
    return token.spaced || !(isOperator(i) || isBehind) ? token : { ...token, spaced: true }
  })
}

/** Which of the operators that make chains begins at a token between two operands: 0 for `||`, 1 for `+`, 2 for `*`; −1 for none. */
function operatorAt(tokens: readonly Token[], at: number): number {
  const [before, token, next] = [tokens[at - 1], tokens[at], tokens[at + 1]]
  if (token?.kind !== 'symbol' || before === undefined || !endsOperand(before)) return -1
  const isPair = next?.kind === 'symbol' && !next.spaced
  if (token.value === '|') return isPair && next.value === '|' && startsOperand(tokens[at + 2]) ? 0 : -1
  const kind = ['+', '*'].indexOf(token.value)
  return kind < 0 || !startsOperand(next) ? -1 : kind + 1
}

function startsOperand(token: Token | undefined): boolean {
  return token !== undefined && (token.kind !== 'symbol' || '([{-+'.includes(token.value))
}

/** A part of a chain: its first and last tokens. */
type Group = readonly [first: number, last: number]

/**
 * Parts of a long chain, as many as terms in each. The first terms belong to none: before them words may stand that are for all of the chain,
 * such as `DISTINCT`, `x ->`, `name :=` or a WITH.
 */
function groupsOf(chain: Chain): Group[] {
  const size = Math.ceil(Math.sqrt(chain.length))
  const groups: Group[] = []
  for (let i = 2 * size; i < chain.length; i += size) groups.push([chain[i - size]!.next, chain[i]!.at - 1])
  return groups
}

/** Parts of those chains of AND that are too long for the engine. */
export function longAnds(tokens: readonly Token[]): readonly Group[] {
  return findChains(tokens)
    .filter(chain => chain.length > maxFlatAnds && isToken(tokens[chain[0]!.at], 'and'))
    .flatMap(groupsOf)
}

/** The text with parentheses around parts of long chains, in the place of spaces: everything stays where it is. */
export function groupChains(text: string, { tokens, starts, ends }: Canonical): string {
  const characters: [number, string][] = []
  for (const chain of findChains(tokens)) {
    for (const [first, last] of groupsOf(chain)) {
      const open = starts[first]! - 1
      const close = ends[last]!
      if (text[open] === ' ' && text[close] === ' ') characters.push([open, '('], [close, ')'])
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
  if (tokens.length > maxTokens)
    throw tooDeep(`has ${tokens.length} words and signs, at most ${maxTokens} are allowed`, shorterConditions)
  // Each token is two levels at most, and what joins few terms makes no long chain.
  if (tokens.length < maxDepth / 2 && tokens.filter(isLink).length <= shortChain) return []
  const found: Chain[] = []
  const keep = (...chains: readonly Chain[]) => found.push(...chains.filter(({ length }) => length > shortChain))
  /** Ends chains of operators, those that bind closer than others. */
  const end = (level: Level, from = 0) => {
    level.longestTerm = Math.max(level.longestTerm, termOf(level))
    for (let kind = from; kind < 3; kind++) {
      if (level.operators[kind]!.length === 0) continue
      keep(level.operators[kind]!)
      level.operators[kind] = []
    }
  }
  const levels: Level[] = [openLevel()]
  const endLevel = (level: Level) => {
    end(level)
    keep(level.or, level.and, level.queries)
  }
  /** Ends the innermost level. */
  const close = () => {
    const level = levels.pop()!
    endLevel(level)
    const outer = levels.at(-1)!
    outer.inner = Math.max(outer.inner, depthOf(level) + 2)
  }
  tokens.forEach((token, i) => {
    // A CASE that has no END before the bracket ends is none.
    if (isBracket(token, ')]}')) while (levels.at(-1)!.isCase) close()
    const level = levels.at(-1)!
    const word = token.kind === 'word' ? token.value.toLowerCase() : ''
    const isBehindOperand = i > 0 && endsOperand(tokens[i - 1]!)
    if (isBracket(token, '([{')) {
      if (token.value === '[' && isBehindOperand) level.term++
      levels.push(openLevel())
    } else if (caseStep(tokens, i) > 0) levels.push(openLevel(true))
    else if (levels.length > 1 && (isBracket(token, ')]}') || (level.isCase && caseStep(tokens, i) < 0))) close()
    else if (isToken(token, ',') || (clauses.has(word) && !isWithin(tokens, i))) {
      // Items of a list and clauses stand side by side; set operations go on behind them.
      end(level)
      keep(level.or, level.and)
      const links = isToken(token, ',') ? 0 : level.links
      const { isCase, queries } = level
      levels[levels.length - 1] = { ...openLevel(isCase), queries, links, best: depthOf(level) }
    } else if (sets.has(word)) {
      end(level)
      keep(level.or, level.and)
      let next = i + 1
      while (behindSets.some(behind => isToken(tokens[next], behind))) next++
      level.queries.push({ at: i, next })
      levels[levels.length - 1] = { ...endTerm(level), ...openChains() }
    } else if (word === 'and' || word === 'or') {
      end(level)
      endTerm(level)
      if (word === 'or') {
        keep(level.and)
        level.or.push({ at: i, next: i + 1 })
        level.and = []
      } else if (level.between > 0) level.between--
      else level.and.push({ at: i, next: i + 1 })
    } else {
      if (word === 'between') level.between++
      const kind = operatorAt(tokens, i)
      const next = kind === 0 ? i + 2 : i + 1
      const isOther = token.kind === 'symbol' ? token.value !== '.' : word !== '' && isBehindOperand
      if (kind >= 0 && token.spaced && tokens[next]!.spaced) {
        end(level, kind + 1)
        level.operators[kind]!.push({ at: i, next })
        if (level.operators[kind]!.length > maxChainLength)
          throw tooDeep(`has more than ${maxChainLength} operators in a row`, insteadOfOperators)
      } else if (isOther && !(isToken(token, '|') && operatorAt(tokens, i - 1) === 0)) {
        level.term++
        if (isToken(token, '-') && isBehindOperand) end(level, 2)
        else if (!inTerms.has(token.value)) end(level)
      }
    }
    if (levels.length > maxDepth / 2 || depthOf(levels.at(-1)!) > maxDepth)
      throw tooDeep(`nests more than ${maxDepth} levels deep`, insteadOf(levels.at(-1)!))
  })
  for (const level of levels) endLevel(level)
  return found
}

/** Whether a token may join terms. */
function isLink({ kind, value }: Token): boolean {
  if (kind === 'symbol') return '+*|'.includes(value)
  return kind === 'word' && links.has(value.toLowerCase())
}

function openLevel(isCase = false): Level {
  return {
    isCase,
    ...openChains(),
    queries: [],
    links: 0,
    term: 0,
    longestTerm: 0,
    inner: 0,
    best: 0
  }
}

function openChains(): Pick<Level, 'or' | 'and' | 'between' | 'operators'> {
  return { or: [], and: [], between: 0, operators: [[], [], []] }
}

/** Symbols that may stand in a term of a chain: parts of names and casts, and what binds as `+` and `*` do. */
const inTerms = new Set([':', '-', '/', '%'])

function endTerm(level: Level): Level {
  level.links++
  level.longestTerm = Math.max(level.longestTerm, termOf(level))
  level.term = 0
  return level
}

/** Depth of a chain in the tree: long ones are made flat. */
function chainOf(links: number): number {
  return links <= shortChain ? links : 2 * Math.ceil(Math.sqrt(links)) + 2
}

function termOf({ term, operators }: Level): number {
  return operators.reduce((sum, links) => sum + chainOf(links.length), term)
}

function depthOf(level: Level): number {
  const { links, longestTerm, inner, best } = level
  return Math.max(best, chainOf(links) + Math.max(termOf(level), longestTerm) + inner)
}

function isBracket({ kind, value }: Token, brackets: string): boolean {
  return kind === 'symbol' && brackets.includes(value)
}

function endsOperand(token: Token): boolean {
  return token.kind !== 'symbol' || isBracket(token, ')]}')
}

const shorterConditions = 'write long conditions as IN lists or join a VALUES list'

const insteadOfOperators = 'write concat(a, b, …) for long chains of ||, list_sum([a, b, …]) for those of +'

/** What to write where a level is too deep: operators in a row nest, the arguments of a call do not. */
function insteadOf(level: Level): string {
  const { links, longestTerm } = level
  if (Math.max(termOf(level), longestTerm) > maxDepth / 2) return insteadOfOperators
  return links > 0 ? shorterConditions : 'name subqueries in WITH'
}

function tooDeep(what: string, instead: string): DbError {
  return invalid(`the statement ${what}: ${instead}`)
}
