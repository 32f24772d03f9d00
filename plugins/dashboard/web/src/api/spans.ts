// All spans of a time together: of each service and each operation how often, how long and how often in vain; who calls whom.
import type { TimeSpan } from '../time.ts'
import { hasTable } from './catalog.ts'
import { rowsOf } from './sql.ts'

export interface Figures {
  readonly spans: number
  readonly failed: number
  /** Milliseconds. */
  readonly median: number
  readonly p95: number
  readonly longest: number
}

interface Operation extends Figures {
  readonly service: string
  readonly operation: string
}

export interface ServiceFigures extends Figures {
  readonly service: string
}

export interface Calls extends Figures {
  readonly from: string
  readonly to: string
}

interface ServiceCalls {
  readonly services: readonly ServiceFigures[]
  readonly calls: readonly Calls[]
  /** The calls of one trace in so many are counted, and multiplied by that number. */
  readonly sampled: number
}

interface Options {
  readonly db: string
  readonly signal: AbortSignal
}

interface Row {
  readonly spans: number
  readonly failed: number
  readonly times: readonly number[] | null
  readonly longest: number
}

export const spanTable = 'telemetry_traces'
/** Spans whose callers are looked up, at most: the server holds each of them in memory for the join. */
const maxJoined = 2_000_000
/** Traces are picked by the last digits of their ids, which are random. */
const samples = [1, 16, 256, 4096] as const
/** Rows of a result. */
const maxRows = 10_000

const figures = (prefix: string) => `count(*) AS spans,
  CAST(sum(CASE WHEN ${prefix}span_status_code = 'STATUS_CODE_ERROR' THEN 1 ELSE 0 END) AS BIGINT) AS failed,
  approx_quantile(${prefix}duration_nano / 1e6, [0.5, 0.95]) AS times, max(${prefix}duration_nano) / 1e6 AS longest`

/** Those that took most time in all first. */
export async function loadOperations(span: TimeSpan, options: Options): Promise<readonly Operation[]> {
  if (!(await hasTable(options.db, spanTable, options))) return []
  const rows = await rowsOf<Row & { service: string; operation: string }>(
    `SELECT service_name AS service, span_name AS operation, ${figures('')} FROM ${spanTable}
     WHERE ${within('', span)} GROUP BY service_name, span_name ORDER BY sum(duration_nano) DESC LIMIT ${maxRows}`,
    options
  )
  return rows.map(row => ({ service: row.service ?? '', operation: row.operation ?? '', ...figuresOf(row) }))
}

export async function loadServiceCalls(span: TimeSpan, options: Options): Promise<ServiceCalls> {
  if (!(await hasTable(options.db, spanTable, options))) return { services: [], calls: [], sampled: 1 }
  const services = await rowsOf<Row & { service: string }>(
    `SELECT service_name AS service, ${figures('')} FROM ${spanTable} WHERE ${within('', span)} GROUP BY service_name ORDER BY spans DESC, service LIMIT ${maxRows}`,
    options
  )
  const all = services.reduce((sum, { spans }) => sum + Number(spans), 0)
  const found = samples.findIndex(share => all / share <= maxJoined)
  const digits = found < 0 ? samples.length - 1 : found
  const sampled = samples[digits]!
  const picked = digits === 0 ? '' : ` AND right(c.trace_id, ${digits}) = '${'0'.repeat(digits)}'`
  const calls = await rowsOf<Row & { caller: string; called: string }>(
    `SELECT p.service_name AS caller, c.service_name AS called, ${figures('c.')} FROM ${spanTable} c
     JOIN ${spanTable} p ON p.trace_id = c.trace_id AND p.span_id = c.parent_span_id
     WHERE ${within('c.', span)} AND ${within('p.', span)} AND p.service_name <> c.service_name${picked}
     GROUP BY p.service_name, c.service_name ORDER BY spans DESC, caller, called LIMIT ${maxRows}`,
    options
  )
  return {
    services: services.map(row => ({ service: row.service ?? '', ...figuresOf(row) })),
    calls: calls.map(({ caller, called, ...row }) => {
      const { spans, failed, ...times } = figuresOf(row)
      return { from: caller, to: called, spans: spans * sampled, failed: failed * sampled, ...times }
    }),
    sampled
  }
}

/** The condition on spans that began within a time, in milliseconds since 1970; `prefix` is that of the table. */
export function within(prefix: string, { from, to }: TimeSpan): string {
  const [first, last] = [from, to].map(at => new Date(at).toISOString())
  return `${prefix}timestamp >= '${first}' AND ${prefix}timestamp <= '${last}'`
}

function figuresOf({ spans, failed, times, longest }: Row): Figures {
  const [median, p95] = (times ?? [0, 0]).map(Number)
  return { spans: Number(spans), failed: Number(failed), median: median!, p95: p95!, longest: Number(longest) }
}
