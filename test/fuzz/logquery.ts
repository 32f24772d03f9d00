// Log queries made up and bent: reading and compiling never does anything but take one or refuse it with its place, and no constant gets
// into the text of a statement.
import { isDbError, RegexBudget, SqlParameters, type Table, type TableColumn, utc } from '../../core/index.ts'
import { duckdb } from '../../core/storage/dialect/duckdb.ts'
import { countQuery, foundQuery, readContext } from '../../plugins/logquery/compile/context.ts'
import { planRows, readTable } from '../../plugins/logquery/compile/plan.ts'
import { windowsAround } from '../../plugins/logquery/compile/window.ts'
import { readQuery } from '../../plugins/logquery/document/query.ts'
import type { Random } from './random.ts'
import { type Attempt, fuzzReading } from './reading.ts'

/** In every constant text that is made up. */
const mark = 'zqx'

const types = {
  at: 'TimestampMillisecond',
  host: 'String',
  message: 'String',
  n: 'Int64',
  small: 'UInt8',
  load: 'Float64',
  ok: 'Boolean',
  attributes: 'Json',
  day: 'Date',
  seen: 'TimestampNanosecond',
  price: 'Decimal(10, 2)',
  raw: 'Binary'
} as const
const columns = Object.entries(types).map(([name, type], id): TableColumn => {
  const semantic = name === 'at' ? 'timestamp' : 'field'
  return { id: id + 1, name, physical: name, type, semantic, nullable: name !== 'at' }
})
const table: Table = {
  id: 1,
  database: 'public',
  name: 'lines',
  columns,
  options: { append_mode: true },
  version: 1,
  createdAt: 0,
  timeIndex: columns[0]!,
  tags: []
}

const limits = { max_query_size: 2 ** 20, max_query_nodes: 1000, max_rows: 10_000, default_rows: 100 }

function attempt(random: Random): Attempt {
  const text = bendText(random, JSON.stringify(bend(random, makeQuery(random))))
  return {
    input: () => text,
    read() {
      const leak = compile(text).find(({ text }) => text.includes(mark))
      if (leak !== undefined) throw new Error(`a constant in ${leak.text}`)
    }
  }
}

/** With the place, or what the parser of a language in it said. */
function refuses(error: unknown): boolean {
  if (!isDbError(error)) return false
  return error.code === 'InvalidArguments' ? error.message.startsWith('$') : error.code === 'InvalidSyntax'
}

export const fuzz = fuzzReading(attempt, refuses)

function compile(text: string) {
  const query = readQuery(text, { limits, database: 'public', zone: utc, now: 0n })
  const writing = () => ({ parameters: new SqlParameters(), dialect: duckdb, zone: utc, regexes: new RegexBudget() })
  const first = writing()
  const plan = planRows(first, table, query, readTable(first, table, query)).query
  if (query.context === undefined) return [plan]
  const windows = windowsAround([0n, 10n, 10_000n], 5n, 5n)
  const second = writing()
  const source = readContext(second, table, query, windows)
  return [
    plan,
    foundQuery(writing(), table, query),
    countQuery(writing(), table, query, windows),
    planRows(second, table, query, source).query
  ]
}

const names = [...Object.keys(types), 'missing']
const texts = [
  mark,
  `${mark}' OR ''='`,
  '',
  '1',
  '-2.5',
  '2024-07-01',
  '2024-07-01T12:00:00Z',
  '$1',
  'true',
  '(zqx|a)+',
  '"zqx a" AND b'
]

function literal(random: Random): unknown {
  return random.pick<unknown>([random.pick(texts), random.pick(texts), random.below(10), -1, 1.5, true, 1e300])
}

/** A document, most of the time one that means something. */
export function makeQuery(random: Random): Record<string, unknown> {
  const some = <T>(most: number, make: () => T) => Array.from({ length: random.below(most + 1) }, make)
  return {
    table: 'lines',
    ...(random.once(3) && {
      time_filter: random.pick([{ start: '2024' }, { span: '5m' }, { start: '2024', span: 60 }])
    }),
    ...(random.once(3) && { columns: some(3, () => random.pick(names)) }),
    ...(!random.once(4) && { filters: makeFilter(random, 3) }),
    ...(random.once(4) && { context: random.pick([{ Lines: [1, 2] }, { Seconds: [3, 0] }, 'None']) }),
    ...(random.once(2) && { exprs: some(3, () => makeStep(random)) }),
    ...(random.once(4) && { order_by: some(2, () => ({ expr: makeExpression(random, 1), order: 'desc' })) }),
    ...(random.once(3) && { limit: { fetch: random.below(100), skip: random.below(3) } })
  }
}

function makeFilter(random: Random, depth: number): unknown {
  const list = () => Array.from({ length: random.below(4) }, () => makeFilter(random, depth - 1))
  if (depth > 0 && random.once(3))
    return random.pick([{ And: list() }, { Or: list() }, { Not: makeFilter(random, depth - 1) }])
  const filters = Array.from({ length: random.below(3) }, () => makeContent(random))
  return { Single: { expr: makeExpression(random, 2), filters } }
}

function makeContent(random: Random): unknown {
  const text = random.pick(texts)
  return random.pick<unknown>([
    { Exact: text },
    { Prefix: text },
    { Postfix: text },
    { Contains: text },
    { Regex: text },
    { Matches: text },
    { MatchesTerm: text },
    'Exist',
    'IsTrue',
    { Between: { start: literal(random), end: literal(random), end_inclusive: true } },
    { GreatThan: { value: literal(random), inclusive: random.once(2) } },
    { LessThan: { value: literal(random) } },
    { In: [literal(random), literal(random)] },
    { Equal: random.pick<unknown>([{ String: text }, { Int: 3 }, { Float: 1.5 }, literal(random)]) },
    { Compound: [[{ Contains: text }, 'Exist'], random.pick(['And', 'Or'])] }
  ])
}

const functions = [
  'lower',
  'length',
  'concat',
  'substr',
  'abs',
  'round',
  'coalesce',
  'nullif',
  'date_trunc',
  'date_bin',
  'to_unixtime'
]
const moreFunctions = [
  'to_string',
  'json_get_string',
  'json_get_int',
  'regexp_extract',
  'regexp_match',
  'greatest',
  'left',
  'strpos',
  'none'
]
const aggregates = [
  'count',
  'sum',
  'avg',
  'min',
  'max',
  'count_distinct',
  'approx_percentile',
  'first_value',
  'last_value',
  'median'
]
const operators = ['Eq', 'Ne', 'Lt', 'Ge', 'Plus', 'Minus', 'Multiply', 'Divide', 'Modulo', 'And', 'Or']

function makeExpression(random: Random, depth: number): unknown {
  const inner = () => makeExpression(random, depth - 1)
  if (depth === 0 || random.once(2)) {
    return random.pick<unknown>([
      { NamedIdent: random.pick(names) },
      { NamedIdent: random.pick(names) },
      { PositionalIdent: random.below(13) },
      { Literal: literal(random) }
    ])
  }
  const args = Array.from({ length: 1 + random.below(3) }, inner)
  return random.pick<unknown>([
    { ScalarFunc: { name: random.pick([...functions, ...moreFunctions]), args } },
    { BinaryOp: { left: inner(), op: random.pick(operators), right: inner() } },
    { Alias: { expr: inner(), alias: mark } }
  ])
}

function makeStep(random: Random): unknown {
  const call = () => ({ name: random.pick(aggregates), args: [makeExpression(random, 1)] })
  return random.pick<unknown>([
    makeExpression(random, 3),
    { AggrFunc: { expr: [call()], by: [makeExpression(random, 1)] } },
    { Filter: { filter: makeFilter(random, 1) } }
  ])
}

const junk = [null, true, 0, -1, 1.5, 2 ** 60, '', 'And', mark, [], {}, [[]], { And: 1 }, { Int: 'x' }, ['a', 'b', 'c']]

/** Replaces, renames or removes a random member; changes nothing one time in three. */
function bend(random: Random, query: unknown): unknown {
  let bent = query
  for (let changes = random.below(3); changes > 0; changes--) bent = bendOne(random, bent)
  return bent
}

function bendOne(random: Random, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || random.once(8)) return random.pick(junk)
  const entries = Object.entries(value)
  if (entries.length === 0) return random.pick(junk)
  const at = random.below(entries.length)
  const [key, member] = entries[at]!
  entries[at] = random.once(12) ? [`${key}${random.pick(['s', '', ' '])}`, member] : [key, bendOne(random, member)]
  if (random.once(12)) entries.splice(at, 1)
  return Array.isArray(value) ? entries.map(([, each]) => each) : Object.fromEntries(entries)
}

function bendText(random: Random, text: string): string {
  if (!random.once(6)) return text
  const at = random.below(text.length)
  return random.pick([
    text.slice(0, at),
    text.slice(0, at) + random.pick(['{', ']', '"', '\\', '\0', 'e9']) + text.slice(at)
  ])
}
