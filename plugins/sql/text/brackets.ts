// Parts of a statement by its brackets: which belong together, and what stands outside of them.
import { endsValue, isToken, type Token } from './token.ts'

/** One deeper, one less deep, or neither. */
export function bracketStep(token: Token | undefined): number {
  if (token?.kind !== 'symbol') return 0
  const { value } = token
  return '([{'.includes(value) ? 1 : ')]}'.includes(value) ? -1 : 0
}

/** One deeper with a CASE, one less deep with its END, or neither: both words may be names, too. */
export function caseStep(tokens: readonly Token[], at: number): number {
  if (isToken(tokens[at], 'case')) return isToken(tokens[at - 1], '.') ? 0 : 1
  return isToken(tokens[at], 'end') && endsValue(tokens[at - 1]) ? -1 : 0
}

/** Index of the bracket that closes the one at `open`; undefined where none stands there, or none closes it. */
export function closing(tokens: readonly Token[], open: number): number | undefined {
  for (let at = open, depth = 0; at < tokens.length; at++) {
    depth += bracketStep(tokens[at])
    if (depth <= 0) return at === open ? undefined : at
  }
  return undefined
}

/** Index of the bracket that opens what the one at `close` ends; 0 where none does. */
export function opening(tokens: readonly Token[], close: number): number {
  for (let at = close, depth = 0; at >= 0; at--) {
    depth -= bracketStep(tokens[at])
    if (depth === 0) return at
  }
  return 0
}

/** Of each bracket the index of the one it belongs to; 0 elsewhere, and where there is none. */
export function pairs(tokens: readonly Token[]): Uint32Array {
  const found = new Uint32Array(tokens.length)
  const opened: number[] = []
  tokens.forEach((token, at) => {
    const step = bracketStep(token)
    if (step > 0) opened.push(at)
    const open = step < 0 ? opened.pop() : undefined
    if (open === undefined) return
    found[at] = open
    found[open] = at
  })
  return found
}

/** Whether a word stands behind a token, outside of brackets that open there, before the end or one of these words. */
export function holdsWord(
  tokens: readonly Token[],
  paired: Uint32Array,
  from: number,
  word: string,
  ...ends: readonly string[]
): boolean {
  for (let at = from + 1; at < tokens.length && bracketStep(tokens[at]) >= 0; at = Math.max(at, paired[at]!) + 1) {
    if (isToken(tokens[at], word) && !isWithin(tokens, at)) return true
    if (ends.some(end => isToken(tokens[at], end))) return false
  }
  return false
}

/** Whether a word that begins clauses is part of a name, of `IS [NOT] DISTINCT FROM` or of `WITHIN GROUP`. */
export function isWithin(tokens: readonly Token[], at: number): boolean {
  const [before, token] = [tokens[at - 1], tokens[at]]
  if (isToken(before, '.')) return true
  if (isToken(token, 'from')) return isToken(before, 'distinct')
  if (isToken(token, 'distinct')) return isToken(before, 'is') || isToken(before, 'not')
  return isToken(token, 'group') && isToken(before, 'within')
}

/** Index of a word or symbol outside of brackets, before they end; or −1. */
export function findWord(tokens: readonly Token[], word: string, from = 0): number {
  for (let at = from, depth = 0; at < tokens.length; at++) {
    if (depth === 0 && isToken(tokens[at], word) && !isWithin(tokens, at)) return at
    depth += bracketStep(tokens[at])
    if (depth < 0) return -1
  }
  return -1
}

/** Splits at commas outside of brackets; without empty parts. */
export function splitList(tokens: readonly Token[]): Token[][] {
  const items: Token[][] = [[]]
  let depth = 0
  for (const token of tokens) {
    depth += bracketStep(token)
    if (depth === 0 && isToken(token, ',')) items.push([])
    else items.at(-1)!.push(token)
  }
  return items.filter(item => item.length > 0)
}

/** The arguments of the call whose parenthesis is at `open`. */
export function argumentsOf(tokens: readonly Token[], open: number): Token[][] {
  return splitList(tokens.slice(open + 1, closing(tokens, open)))
}

/** Index of the last token of a call whose name is at `name`: its parenthesis, or the end of `FILTER (…)`, `OVER (…)` … behind it. */
export function callEnd(tokens: readonly Token[], name: number): number {
  return endBehind(tokens, closing(tokens, name + 1) ?? name)
}

/** The same by the call's last parenthesis. */
export function endBehind(tokens: readonly Token[], close: number): number {
  let at = close
  for (;;) {
    const next = at + 1
    if (isToken(tokens[next], 'filter')) at = closing(tokens, next + 1) ?? next
    else if (isToken(tokens[next], 'within')) at = closing(tokens, next + 2) ?? next
    else if (isToken(tokens[next], 'over')) at = closing(tokens, next + 1) ?? next + 1
    else if (isNullTreatment(tokens, next)) at = next + 1
    else return at
  }
}

/** Whether `IGNORE NULLS` or `RESPECT NULLS` begins at a token. */
export function isNullTreatment(tokens: readonly Token[], at: number): boolean {
  return isToken(tokens[at + 1], 'nulls') && (isToken(tokens[at], 'ignore') || isToken(tokens[at], 'respect'))
}

/** Words that end a select list. */
const behindItems: ReadonlySet<string> = new Set(
  'except fetch from group having intersect into limit offset order qualify sample union using where window'.split(' ')
)

/**
 * First and last tokens of the items of the select list behind `select`. `within` gives a token that belongs to an item: a word before it
 * that looks like the end of the list is a name.
 */
export function selectItems(
  tokens: readonly Token[],
  select: number,
  count: number,
  within: (item: number) => number
): readonly (readonly [number, number] | undefined)[] {
  let start = select + 1
  if (isToken(tokens[start], 'all')) start++
  else if (isToken(tokens[start], 'distinct')) {
    start++
    if (isToken(tokens[start], 'on')) start = (closing(tokens, start + 1) ?? start) + 1
  }
  return Array.from({ length: count }, (_, item) => {
    const first = start
    let at = first
    for (let depth = 0; at < tokens.length; at++) {
      depth += bracketStep(tokens[at])
      if (depth < 0 || (depth === 0 && isToken(tokens[at], ','))) break
      if (depth === 0 && endsItems(tokens, at) && at > within(item)) break
    }
    start = at + 1
    return at > first ? [first, at - 1] : undefined
  })
}

function endsItems(tokens: readonly Token[], at: number): boolean {
  const token = tokens[at]!
  return token.kind === 'word' && behindItems.has(token.value.toLowerCase()) && !isWithin(tokens, at)
}
