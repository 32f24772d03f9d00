// `date_bin_gapfill(interval, time[, origin])`: every slot between the bounds of the WHERE, with `interpolate(…)` and `locf(…)` of aggregates.
import type { DbError, Limit } from '../../../../core/index.ts'
import { argumentsOf, bracketStep, callEnd, caseStep, closing, findWord, splitList } from '../../text/brackets.ts'
import { label } from '../../text/canonical.ts'
import { errorAt, isToken, type Piece, quoteName, separated, type Token, tokensAt } from '../../text/token.ts'
import type { Fill, ItemPart } from './parse.ts'
import { filledRows, gridText, hasName, isSame, keysOf, replaced, replaceQueries, slotList } from './translate.ts'

const gapfill = 'date_bin_gapfill'
const fills: Readonly<Record<string, Fill>> = { interpolate: 'interpolate', locf: 'prev' }

const aggregates = new Set(
  `any_value approx_count_distinct approx_distinct approx_median approx_percentile_cont approx_quantile arbitrary arg_max arg_min argmax argmin
   array_agg avg bit_and bit_or bit_xor bool_and bool_or corr count count_if countif covar covar_pop covar_samp entropy favg first first_value fsum
   geomean group_concat histogram hll kurtosis last last_value list listagg mad max max_by mean median min min_by mode percentile_cont
   percentile_disc product quantile quantile_cont quantile_disc selector_first selector_last selector_max selector_min skewness stddev stddev_pop
   stddev_samp string_agg sum uddsketch_state var var_pop var_samp variance`.split(/\s+/)
)

interface Call {
  readonly tokens: readonly Token[]
  readonly fill: Fill | undefined
}

/** The tokens with every query that fills gaps, at any depth, as one of the engine's. */
export function translateGaps(sql: string, written: readonly Token[], valueLimit: Limit): readonly Token[] {
  const begins = (tokens: readonly Token[], i: number) => isToken(tokens[i], gapfill) && isToken(tokens[i + 1], '(')
  return requireNoFill(
    sql,
    replaceQueries(sql, written, gapfill, begins, (select, query) => translate(sql, select, query, valueLimit))
  )
}

function requireNoFill(sql: string, tokens: readonly Token[]): readonly Token[] {
  const fill = tokens.find((_, i) => fillOf(tokens, i) !== undefined && !isToken(tokens[i - 1], '.'))
  if (fill === undefined) return tokens
  throw errorAt(sql, fill.start, `${fill.value} goes with a ${gapfill} in the GROUP BY`)
}

/** How a call fills gaps whose name is a token. */
function fillOf(tokens: readonly Token[], at: number): Fill | undefined {
  const name = tokens[at]!.value.toLowerCase()
  const isCall = tokens[at]!.kind === 'word' && isToken(tokens[at + 1], '(')
  return isCall && Object.hasOwn(fills, name) ? fills[name] : undefined
}

const clauses = ['from', 'where', 'group', 'having', 'order', 'limit', 'offset']

function translate(sql: string, select: Token, tokens: readonly Token[], valueLimit: Limit): Token[] {
  const fail = (token: Token | undefined, what: string): DbError => errorAt(sql, (token ?? select).start, what)
  for (const word of ['distinct', 'qualify', 'window']) {
    const found = findWord(tokens, word)
    if (found >= 0) throw fail(tokens[found], `${word.toUpperCase()} cannot go with ${gapfill}`)
  }
  const starts = clauses.map(word => findWord(tokens, word))
  const part = (clause: number, words: number) => {
    const from = starts[clause]!
    const next = starts.find((start, i) => i > clause && start >= 0) ?? tokens.length
    return from < 0 ? [] : tokens.slice(from + words, next)
  }
  const [from, where, group, having] = [part(0, 1), part(1, 1), part(2, 2), part(3, 1)]
  const tail = tokens.slice(starts.slice(4).find(start => start >= 0) ?? tokens.length)
  const calls: Call[] = []
  const items = splitList(tokens.slice(0, starts[0])).map(item => ({ item, parts: readCalls(item, calls) }))
  const groups = groupsOf(items, group)
  const bin = groups.find(key => isToken(key[0], gapfill))
  if (bin === undefined)
    throw fail(
      tokens.find(token => isToken(token, gapfill)),
      `${gapfill} must be in the GROUP BY`
    )
  const [step, time, origin] = argumentsOf(bin, 1)
  if (step === undefined || time === undefined) throw fail(bin[0], `${gapfill} takes an interval and a time`)
  const by = groups.filter(
    key => key !== bin && !(key.length === bin.length && key.every((token, i) => isSame(token, bin[i]!)))
  )
  const bounds = boundsOf(where, time)
  const absent = [bounds.lower.length === 0 && 'a lower', bounds.upper.length === 0 && 'an upper'].filter(Boolean)
  if (absent.length > 0) {
    const name = label(time)
    throw fail(
      bin[0],
      `${gapfill} needs ${absent.join(' and ')} bound of ${name} in the WHERE, such as ${name} >= … AND ${name} < …`
    )
  }
  const keys = [...keysOf(by), { tokens: bin, text: '"__slot"' }]
  const [kept, ordered] = [readCalls(having, calls), readCalls(tail, calls)]
  const binned = (value: Piece): Piece[] => [
    'date_bin(CAST(',
    step,
    'AS INTERVAL),',
    value,
    ...(origin ? [',', origin] : []),
    ')'
  ]
  const extreme = (least: string, all: readonly (readonly Token[])[], most: string): Piece[] => [
    `${most}(`,
    ...separated(all.map(bound => [`${least}(`, time, ',', bound, ')'])),
    ')'
  ]
  const rows: Piece[] = [
    'SELECT',
    ...binned(time),
    'AS "__slot"',
    ...by.flatMap<Piece>((key, i) => [',', key, `AS "__b${i}"`]),
    ...calls.flatMap<Piece>((call, i) => [',', call.tokens, `AS "__a${i}"`]),
    ', any_value(',
    ...extreme('least', bounds.lower, 'greatest'),
    ') AS "__from", any_value(',
    ...extreme('greatest', bounds.upper, 'least'),
    ') AS "__to" FROM',
    ...[from, 'WHERE', where],
    `GROUP BY ${['1', ...by.map((_, i) => String(i + 2))].join(', ')}`
  ]
  const plain = (value: readonly Piece[]): Piece[] => ['cast_to_type(', ...value, ", TIMESTAMP '1970-01-01')"]
  const span = {
    from: plain(binned('any_value("__from")')),
    to: plain(['any_value("__to")']),
    step: ['CAST(', step, 'AS INTERVAL)'],
    isOpen: bounds.open
  }
  const times = slotList(gapfill, span, valueLimit)
  const grid = gridText(by.length, calls.length, times, 'cast_to_type(unnest("__times"), "__kind")')
  return tokensAt(select, [
    'SELECT',
    ...separated(
      items.map(({ item, parts }) => [
        ...replaced(parts, keys, undefined),
        ...(hasName(item)
          ? []
          : [`AS ${quoteName(item.length === 3 && isToken(item[1], '.') ? item[2]!.value : label(item))}`])
      ])
    ),
    ...filledRows(rows, by.length, calls, grid),
    ...(having.length === 0 ? [] : ['WHERE', ...replaced(kept, keys, undefined)]),
    ...replaced(ordered, keys, undefined)
  ])
}

/** Aggregates as calls, each once; those in `interpolate(…)` and `locf(…)` with what fills their gaps. */
function readCalls(tokens: readonly Token[], calls: Call[]): ItemPart[] {
  const parts: ItemPart[] = []
  for (let at = 0; at < tokens.length; at++) {
    const name = tokens[at]!.value.toLowerCase()
    const isCall = tokens[at]!.kind === 'word' && isToken(tokens[at + 1], '(')
    const fill = fillOf(tokens, at)
    if (!isCall || (fill === undefined && !aggregates.has(name))) {
      parts.push(tokens[at]!)
      continue
    }
    const last = fill === undefined ? callEnd(tokens, at) : (closing(tokens, at + 1) ?? tokens.length - 1)
    const call = { tokens: tokens.slice(...(fill === undefined ? [at, last + 1] : [at + 2, last])), fill }
    const known = calls.findIndex(each => each.fill === fill && label(each.tokens) === label(call.tokens))
    parts.push({ call: known < 0 ? calls.push(call) - 1 : known })
    at = last
  }
  return parts
}

interface Item {
  readonly item: readonly Token[]
  readonly parts: readonly ItemPart[]
}

/** The expressions of GROUP BY; for a position or a name, the item as it is written. */
function groupsOf(items: readonly Item[], group: readonly Token[]): (readonly Token[])[] {
  const expressions = items.map(({ item }) => {
    const as = hasName(item) ? (isToken(item.at(-2), 'as') ? -2 : -1) : item.length
    return item.length === 1 ? item : item.slice(0, as)
  })
  if (group.length === 1 && isToken(group[0], 'all'))
    return expressions.filter((_, i) => !items[i]!.parts.some(part => 'call' in part))
  return splitList(group).map(key => {
    const [only] = key
    if (key.length > 1 || only === undefined) return key
    const found = items.findIndex(
      ({ item }, i) => only.value === String(i + 1) || (hasName(item) && isSame(only, item.at(-1)!))
    )
    return found < 0 ? key : expressions[found]!
  })
}

const mirrored: Readonly<Record<string, string>> = { '<': '>', '<=': '>=', '>': '<', '>=': '<=' }

interface Bounds {
  readonly lower: (readonly Token[])[]
  readonly upper: (readonly Token[])[]
  /** The upper bound is no longer part of the time. */
  readonly open: boolean
}

/** The bounds of the time in conditions joined by AND. */
function boundsOf(where: readonly Token[], time: readonly Token[]): Bounds {
  const lower: (readonly Token[])[] = []
  const upper: (readonly Token[])[] = []
  let open = false
  const plain = unqualifiedName(time)
  const isTime = (tokens: readonly Token[]) => label(unqualifiedName(tokens)) === label(plain)
  const add = (operator: string, bound: readonly Token[]) => {
    if (operator.startsWith('>') || operator === '=') lower.push(bound)
    if (operator.startsWith('<') || operator === '=') upper.push(bound)
    open ||= operator === '<'
  }
  for (const condition of conditionsOf(where)) {
    const between = findWord(condition, 'between')
    if (between > 0 && isTime(condition.slice(0, between))) {
      const and = findWord(condition, 'and')
      add('>=', condition.slice(between + 1, and))
      add('<=', condition.slice(and + 1))
      continue
    }
    const at = condition.findIndex(token => token.kind === 'symbol' && '<>='.includes(token.value))
    if (at < 0) continue
    const long = isToken(condition[at + 1], '=') && !condition[at + 1]!.spaced
    const operator = `${condition[at]!.value}${long ? '=' : ''}`
    const [left, right] = [condition.slice(0, at), condition.slice(at + operator.length)]
    if (isTime(left)) add(operator, right)
    else if (isTime(right)) add(mirrored[operator] ?? operator, left)
  }
  return { lower, upper, open }
}

function unqualifiedName(tokens: readonly Token[]): readonly Token[] {
  return tokens.length > 1 && isToken(tokens.at(-2), '.') ? tokens.slice(-1) : tokens
}

/** Terms that AND joins, also those in parentheses of their own; none of those that stand beside an OR. */
function conditionsOf(where: readonly Token[]): (readonly Token[])[] {
  const found: (readonly Token[])[] = []
  const waiting = [where]
  for (let terms = waiting.pop(); terms !== undefined; terms = waiting.pop()) {
    if (isToken(terms[0], '(') && closing(terms, 0) === terms.length - 1) {
      waiting.push(terms.slice(1, -1))
      continue
    }
    const ands = joiners(terms)
    if (ands === undefined) continue
    if (ands.length === 0) found.push(terms)
    else
      for (const [i, and] of [...ands, terms.length].entries())
        waiting.push(terms.slice(i === 0 ? 0 : ands[i - 1]! + 1, and))
  }
  return found
}

/** Where AND joins terms; undefined where OR does. The first AND behind a BETWEEN is its own. */
function joiners(terms: readonly Token[]): number[] | undefined {
  const ands: number[] = []
  let [depth, isBetween] = [0, false]
  for (const [at, token] of terms.entries()) {
    depth += bracketStep(token) + caseStep(terms, at)
    if (depth !== 0) continue
    if (isToken(token, 'or')) return undefined
    if (isToken(token, 'between')) isBetween = true
    else if (isToken(token, 'and')) {
      if (!isBetween) ands.push(at)
      isBetween = false
    }
  }
  return ands
}
