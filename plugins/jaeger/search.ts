// Searches traces, and reads the spans of traces.
import { type Condition, DbError, type Dialect, formatSize, SqlParameters, type Table } from '../../core/index.ts'
import { serviceIs } from './names.ts'
import type { Search, TimeRange } from './parameters.ts'
import type { Source } from './source.ts'
import { column, type Piece, rowsOf, run, time } from './statement.ts'
import { tagFilter } from './tag-filter.ts'

/** The values of a span by column. */
export type SpanRow = ReadonlyMap<string, unknown>

interface Found extends TimeRange {
  /** Latest first. */
  readonly traceIds: readonly string[]
}

/** The latest traces with a span that meets all conditions, and the range of time of such spans. */
export async function searchTraces(source: Source, search: Search): Promise<Found> {
  const {
    table,
    store: { dialect }
  } = source
  if (table === undefined) return { traceIds: [] }
  const [traceId, began] = [column(dialect, table, 'trace_id'), column(dialect, table, 'timestamp')]
  const parameters = new SqlParameters()
  const pieces = [
    `SELECT ${traceId}, min(${began}), max(${began}) FROM `,
    { table, alias: 's', where: { kind: 'all', of: [serviceIs(search.service), within(search)] } as const },
    ` WHERE ${conditions(dialect, table, search, parameters).join(' AND ')}`,
    ` GROUP BY ${traceId} ORDER BY 3 DESC, 1 LIMIT ${search.limit}`
  ]
  const traceIds: string[] = []
  let [from, to] = [2n ** 63n, 0n]
  for await (const [id, first, last] of rowsOf(await run(source, pieces, parameters))) {
    traceIds.push(String(id))
    if ((first as bigint) < from) from = first as bigint
    if ((last as bigint) > to) to = last as bigint
  }
  return { traceIds, from, to }
}

function conditions(dialect: Dialect, table: Table, search: Search, parameters: SqlParameters): string[] {
  const { service, operation, tags, shortest, longest } = search
  const of = (name: string) => column(dialect, table, name)
  const duration = of('duration_nano')
  return [
    `${of('service_name')} = ${parameters.add(service)}`,
    ...between(dialect, table, search),
    ...(operation === undefined ? [] : [`${of('span_name')} = ${parameters.add(operation)}`]),
    ...(shortest === undefined ? [] : [`${duration} >= ${shortest}`]),
    ...(longest === undefined ? [] : [`${duration} <= ${longest}`]),
    ...tags.map(([key, value]) => tagFilter(dialect, table, key, value, parameters))
  ]
}

export interface AnswerLimits {
  readonly max_spans: number
  /** Maximum bytes of the spans of an answer. */
  readonly max_answer_size: number
}

/**
 * The spans of these traces by start time; with a range, only those that begin in it. Throws DbError `InvalidArguments` if there are too
 * many.
 */
export async function readSpans(
  source: Source,
  traceIds: readonly string[],
  range: TimeRange,
  { max_spans, max_answer_size }: AnswerLimits
): Promise<SpanRow[]> {
  const {
    table,
    store: { dialect }
  } = source
  if (table === undefined || traceIds.length === 0) return []
  const traceId = column(dialect, table, 'trace_id')
  const ids = traceIds.map(value => ({ kind: 'equals', column: 'trace_id', value }) as const)
  const where: Condition = { kind: 'all', of: [{ kind: 'any', of: ids }, within(range)] }
  const parameters = new SqlParameters()
  const wanted = [
    `${traceId} IN (${traceIds.map(id => parameters.add(id)).join(', ')})`,
    ...between(dialect, table, range)
  ]
  const pieces: Piece[] = [
    `SELECT ${table.columns.map(({ physical }) => dialect.quoteName(physical)).join(', ')} FROM `,
    { table, alias: 's', where },
    ` WHERE ${wanted.join(' AND ')} ORDER BY ${column(dialect, table, 'timestamp')}, ${column(dialect, table, 'span_id')} LIMIT ${max_spans + 1}`
  ]
  const spans: SpanRow[] = []
  let bytes = 0
  for await (const row of rowsOf(await run(source, pieces, parameters))) {
    if (spans.length === max_spans) throw tooMuch(`more than ${max_spans} spans (plugins.jaeger.max_spans)`)
    bytes += sizeOf(row)
    if (bytes > max_answer_size) {
      throw tooMuch(`spans of more than ${formatSize(max_answer_size)} (plugins.jaeger.max_answer_size)`)
    }
    spans.push(new Map(table.columns.flatMap(({ name }, i) => (row[i] === null ? [] : [[name, row[i]]]))))
  }
  return spans
}

function within({ from, to }: TimeRange): Condition {
  return { kind: 'time', ...(from !== undefined && { from }), ...(to !== undefined && { to }) }
}

function between(dialect: Dialect, table: Table, { from, to }: TimeRange): string[] {
  const began = column(dialect, table, 'timestamp')
  return [
    ...(from === undefined ? [] : [`${began} >= ${time(dialect, from)}`]),
    ...(to === undefined ? [] : [`${began} < ${time(dialect, to)}`])
  ]
}

function tooMuch(what: string): DbError {
  return new DbError('InvalidArguments', `the answer has ${what}: ask for fewer traces or a shorter time`)
}

/** Approximate bytes. */
function sizeOf(row: readonly unknown[]): number {
  let bytes = 0
  for (const value of row) bytes += typeof value === 'string' || value instanceof Uint8Array ? value.length : 8
  return bytes
}
