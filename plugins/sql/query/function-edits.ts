// Functions users know by another name, or with other arguments, than the engine's.
import { argumentsOf, callEnd, closing, findWord } from '../text/brackets.ts'
import type { Canonical } from '../text/canonical.ts'
import { endsValue, isKeyOperator, isName, isPair, isToken, quoteText, type Token, tokenText } from '../text/token.ts'
import { type Edit, putBefore, putBehind, replace, span } from './edit.ts'
import { translatePattern } from './time-pattern.ts'

/** Functions of the engine by other names: those that take any number of arguments and aggregates, of which a macro takes no DISTINCT, FILTER or OVER. */
const names: Readonly<Record<string, string>> = {
  anylast: 'last',
  approx_distinct: 'approx_count_distinct',
  covar: 'covar_samp',
  every: 'bool_and',
  grouparray: 'list',
  json_build_array: 'json_array',
  json_build_object: 'json_object',
  json_object_agg: 'json_group_object',
  make_array: 'list_value',
  get_field: 'struct_extract',
  stddev_population: 'stddev_pop',
  struct: 'row',
  to_jsonb: 'to_json',
  uniq: 'approx_count_distinct',
  var: 'var_samp',
  var_population: 'var_pop',
  var_sample: 'var_samp'
}

/** Functions of JSON that Postgres has for both of its types: `json_…`, and `jsonb_…`. */
const ofJsonb: ReadonlySet<string> = new Set(
  `agg array_elements array_elements_text array_length build_array build_object each extract_path extract_path_text object_agg object_keys
   path_exists pretty typeof`.split(/\s+/)
)

/** Functions that give a row for each part of a JSON document where they stand for tables: what stands before the document, and behind it. */
const jsonRows: Readonly<Record<string, readonly [string, string]>> = {
  object_keys: ['unnest(json_keys(', '))'],
  array_elements: ['unnest(json_extract(', `, '$[*]'))`],
  array_elements_text: ['unnest(json_extract_string(', `, '$[*]'))`]
}

export function jsonRowsOf(name: string): readonly [string, string] | undefined {
  const [, short = ''] = /^jsonb?_(\w+)$/.exec(name) ?? []
  return Object.hasOwn(jsonRows, short) ? jsonRows[short] : undefined
}

/** A call by the tokens of its name and of the parenthesis that ends it. */
interface Call {
  readonly sql: string
  readonly statement: Canonical
  readonly name: string
  readonly at: number
  readonly close: number
  readonly args: readonly (readonly Token[])[]
}

const rewrites: Readonly<Record<string, (call: Call) => Edit[]>> = {
  approx_percentile_cont: quantile,
  approx_quantile: quantile,
  date_format: call => formEdits(call),
  date_trunc: call => (call.args.length > 2 ? [renamed(call, 'date_trunc_in')] : []),
  first_value: call => (isWindow(call) ? [] : [renamed(call, 'first')]),
  // Of TimescaleDB, with the times by which rows are ordered.
  first: call => (isByTime(call) ? [renamed(call, 'arg_min')] : []),
  format: formatEdits,
  generate_series: stepEdits,
  json_agg: jsonList,
  last: call => (isByTime(call) ? [renamed(call, 'arg_max')] : []),
  last_value: call => (isWindow(call) ? [] : [renamed(call, 'last')]),
  nth_value: nthValue,
  percentile_cont: call => (call.args.length > 1 ? [renamed(call, 'quantile_cont')] : []),
  range: stepEdits,
  to_char: call => formEdits(call, 'strftime'),
  to_date: call => formEdits(call, 'to_date'),
  to_local_time: localTime,
  to_timestamp: call => formEdits(call, 'to_timestamp')
}

/** `tables`: the calls that stand for tables, and whether they have another name. Throws DbError for what they cannot take. */
export function functionEdits(sql: string, statement: Canonical, tables: ReadonlyMap<number, boolean>): Edit[] {
  const { tokens } = statement
  return tokens.flatMap((token, i) => {
    const told = (text: string) => [replace(statement, i, i, text)]
    if (isShareOfRows(tokens, i)) return [putBefore(statement, i + 3, ' PERCENT')]
    if (isPartMatch(tokens, i)) return told('~@')
    const operator = jsonOperator(tokens, i)
    if (operator !== undefined) return [replace(statement, i, i + operator.length - 2, operator)]
    if (isWildPattern(tokens, i)) return told(quoteText(wildPattern(token.value)))
    if (!isName(token) || !isToken(tokens[i + 1], '(') || isToken(tokens[i - 1], '.')) return []
    const written = token.value.toLowerCase()
    const end = () => closing(tokens, i + 1) ?? tokens.length - 1
    const isNamed = tables.get(i)
    const rows = isNamed === undefined ? undefined : jsonRowsOf(written)
    if (rows !== undefined) return jsonTable(statement, i, end(), rows, isNamed ? '' : ` AS ${written}(${written})`)
    const name = written.startsWith('jsonb_') && ofJsonb.has(written.slice(6)) ? `json_${written.slice(6)}` : written
    if (!Object.hasOwn(rewrites, name)) {
      const engine = Object.hasOwn(names, name) ? names[name]! : name
      return engine === written ? [] : told(engine)
    }
    return rewrites[name]!({ sql, statement, name, at: i, close: end(), args: argumentsOf(tokens, i + 1) })
  })
}

/** `FROM json_object_keys(x)`: its column has the name of the function, or of the table. */
function jsonTable(
  statement: Canonical,
  at: number,
  close: number,
  [before, behind]: readonly [string, string],
  as: string
): Edit[] {
  const isCounted = isToken(statement.tokens[close + 2], 'ordinality')
  return [
    replace(statement, at, at + 1, before),
    replace(statement, close, close, behind),
    ...(as === '' ? [] : [putBehind(statement, isCounted ? close + 2 : close, as)])
  ]
}

function renamed({ statement, at }: Call, text: string): Edit {
  return replace(statement, at, at, text)
}

/** Whether a call has two arguments and no order of its own, the terms of which commas part, too. */
function isByTime({ args }: Call): boolean {
  return args.length === 2 && !args[0]!.some(token => isToken(token, 'order'))
}

/** The aggregates have the engine's names only as functions of a window. */
function isWindow({ statement, at, close }: Call): boolean {
  return statement.tokens.slice(close + 1, callEnd(statement.tokens, at) + 1).some(behind => isToken(behind, 'over'))
}

/** The share must be a float of 32 bits, which no constant is by itself; what stands behind it says how exact others are. */
function quantile(call: Call): Edit[] {
  const { statement, close, args } = call
  const share = args[1]
  if (share === undefined)
    return isToken(statement.tokens[close + 1], 'within') ? [renamed(call, 'percentile_cont')] : []
  const { end } = span(statement, call.at + 2 + args[0]!.length + share.length)
  const cast = isToken(share[0], '[') ? '::FLOAT[]' : '::FLOAT'
  return [renamed(call, 'approx_quantile'), { start: end, end: statement.starts[close]!, text: cast }]
}

const fractions: Readonly<Record<string, string>> = { '3': '%g', '6': '%f', '9': '%n' }

/**
 * The form of a time that is a constant: fractions of seconds as GreptimeDB and InfluxDB write them, `%3f` and `%.6f`; for the function
 * `ofPatterns`, the pattern of Postgres that a form without a percent sign is.
 */
function formEdits(call: Call, ofPatterns?: string): Edit[] {
  const { sql, statement, name, close, args } = call
  const form = args[1]?.[0]
  // `close` ends the call, so that nothing else stands beside the constant.
  if (form?.kind !== 'string' || form !== statement.tokens[close - 1]) return []
  const isPattern = ofPatterns !== undefined && !form.value.includes('%')
  const text = isPattern
    ? translatePattern(sql, name, form)
    : form.value.replace(/%(\.?)([369])f/g, (_, dot: string, digits: string) => dot + fractions[digits]!)
  const written = replace(statement, close - 1, close - 1, quoteText(text))
  return isPattern ? [renamed(call, ofPatterns), written] : [written]
}

/** `format('%s of %s', a, b)` as Postgres has it; in the engine's own form values stand for `{}`. */
function formatEdits({ statement, at, args }: Call): Edit[] {
  const form = args[0]?.[0]
  const isPlain = form?.kind === 'string' && args[0]!.length === 1 && /%(?:\d+\$)?s/.test(form.value)
  // Others than `%s`, `%1$s` and `%%` are left to the engine.
  if (!isPlain || /%(?!(?:\d+\$)?s)/.test(form.value.replaceAll('%%', ''))) return []
  let next = 0
  const text = form.value
    .replace(/[{}]/g, '$&$&')
    .replace(/%(?:%|(?:(\d+)\$)?s)/g, (whole, number: string | undefined) => {
      if (whole === '%%') return '%'
      next = number === undefined ? next + 1 : Number(number)
      return `{${next - 1}}`
    })
  return [replace(statement, at + 2, at + 2, quoteText(text))]
}

/** A text as the step between times. */
function stepEdits({ statement, close, args }: Call): Edit[] {
  const [only, ...more] = args[2] ?? []
  return only?.kind === 'string' && more.length === 0 ? [putBefore(statement, close - 1, 'INTERVAL ')] : []
}

/** The engine's own aggregate of JSON takes no order. */
function jsonList(call: Call): Edit[] {
  return [renamed(call, 'to_json(list'), putBehind(call.statement, callEnd(call.statement.tokens, call.at), ')')]
}

/** `to_local_time(t AT TIME ZONE 'zone')`: the engine's times know no zone. */
function localTime({ statement, at, close }: Call): Edit[] {
  const { tokens } = statement
  const zone = findWord(tokens, 'zone', at + 2)
  const isLast = isToken(tokens[zone - 1], 'time') && isToken(tokens[zone - 2], 'at') && zone === close - 2
  return isLast ? [putBefore(statement, close, `, ${tokenText(tokens[close - 1]!)}`)] : []
}

/** `nth_value(x, n ORDER BY …)` that is not a function of a window. */
function nthValue(call: Call): Edit[] {
  const { statement, at, close } = call
  const { tokens } = statement
  const comma = findWord(tokens, ',', at + 2)
  const order = findWord(tokens, 'order', at + 2)
  const n = tokens[comma + 1]
  if (isWindow(call) || comma < 0 || n?.kind !== 'number' || (order < 0 ? close : order) !== comma + 2) return []
  return [
    renamed(call, 'list_extract(list'),
    replace(statement, comma, comma + 1, ''),
    replace(statement, close, close, `), ${n.value})`)
  ]
}

/** Whether a token is the `~` of `a ~ 'b'` or `a !~ 'b'`: a part that matches is enough, where the engine's own operator takes all of the text. */
function isPartMatch(tokens: readonly Token[], i: number): boolean {
  if (!isToken(tokens[i], '~')) return false
  const next = tokens[i + 1]
  const isLonger = next?.kind === 'symbol' && !next.spaced && '~*@<>=!'.includes(next.value)
  const isBang = isToken(tokens[i - 1], '!') && !tokens[i]!.spaced
  return !isLonger && endsValue(tokens[isBang ? i - 2 : i - 1])
}

/** Of a document of JSON and a constant that is part of it, and of one and a key: names of macros, one sign longer than what is written. */
function jsonOperator(tokens: readonly Token[], i: number): string | undefined {
  if (isPair(tokens, i, '@', '>') && tokens[i + 2]?.kind === 'string') return '@>@'
  if (isPair(tokens, i, '<', '@') && tokens[i - 1]?.kind === 'string') return '@<@'
  return isKeyOperator(tokens, i) ? '@~' : undefined
}

/** Whether a token is the pattern of SIMILAR TO, with the wildcards of LIKE; to the engine it is a regular expression. */
function isWildPattern(tokens: readonly Token[], i: number): boolean {
  const isPattern = isToken(tokens[i - 1], 'to') && isToken(tokens[i - 2], 'similar')
  return tokens[i]!.kind === 'string' && isPattern && tokens[i]!.value.includes('%')
}

function wildPattern(pattern: string): string {
  return pattern.replace(/\\.|%|_/g, each => (each === '%' ? '(?s:.*)' : each === '_' ? '(?s:.)' : each))
}

/** `TABLESAMPLE BERNOULLI (10)`: ten of a hundred rows. */
function isShareOfRows(tokens: readonly Token[], i: number): boolean {
  const isMethod = isToken(tokens[i], 'bernoulli') || isToken(tokens[i], 'system')
  const isSample = isToken(tokens[i - 1], 'tablesample') || isToken(tokens[i - 1], 'sample')
  return isMethod && isSample && tokens[i + 2]?.kind === 'number' && isToken(tokens[i + 3], ')')
}
