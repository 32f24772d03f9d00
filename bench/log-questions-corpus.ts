// Log lines of a shop as a client sends them, and the questions asked of them in SQL and as documents of log queries.
import { sequence } from './corpus.ts'

export const table = 'questions'
const firstTime = Date.UTC(2026, 0, 1)
/** Milliseconds between two lines. */
const interval = 3

const levels = ['info', 'info', 'info', 'info', 'debug', 'debug', 'warn', 'error']
const routes = ['/', '/cart', '/cart/items', '/products/list', '/products/view', '/account', '/assets/site.css']
const statuses = [200, 200, 200, 200, 204, 302, 404, 503]
const rareAddress = '203.0.113.77'
const rareEvery = 700_001
/** The line whose trace is asked for. */
const tracedLine = 1_234_567

/** A body of NDJSON with the lines from `first` on; always the same for the same lines. */
export function linesBody(first: number, lines: number): Buffer {
  const random = sequence(first + 1)
  const below = (limit: number) => Math.floor(random() * limit)
  let text = ''
  for (let i = 0; i < lines; i++) {
    const line = first + i
    const service = below(12)
    const at = firstTime + line * interval
    text += `{"at":${at},"level":"${levels[below(8)]}","service":"shop-${service}","host":"node-${below(150)}.internal","message":"${message(line, service, below)}","status":${statuses[below(8)]},"size":${below(90_000)},"trace_id":"${traceOf(line)}"}\n`
  }
  return Buffer.from(text)
}

/** One line in ten holds `connection reset by peer`, one in a hundred that of a payment. */
function message(line: number, service: number, below: (limit: number) => number): string {
  const address = line % rareEvery === 100_000 ? rareAddress : `10.${below(8)}.${below(256)}.${below(256)}`
  const kind = below(100)
  if (kind < 10) return `upstream shop-${service} at ${address}:8080: connection reset by peer, attempt ${below(5)}`
  if (kind < 11)
    return `payment ${below(1e6)} of user ${below(50_000)} from ${address} was ${below(2) ? 'declined' : 'refused'}`
  if (kind < 25) return `user ${below(50_000)} signed in from ${address}`
  if (kind < 40) return `query of table orders took ${below(900)} ms, ${below(500)} rows for ${address}`
  return `GET ${routes[below(routes.length)]} from ${address} took ${below(700)} ms`
}

/** 16 hexadecimal digits, another for every line. */
function traceOf(line: number): string {
  const low = Math.imul(line + 1, 0x9e3779b1) >>> 0
  const high = Math.imul(line ^ 0x5bd1e995, 0x85ebca6b) >>> 0
  return high.toString(16).padStart(8, '0') + low.toString(16).padStart(8, '0')
}

export const createTable = `CREATE TABLE ${table} (
  at TIMESTAMP(3) TIME INDEX, level STRING, service STRING, host STRING, message STRING FULLTEXT INDEX,
  status BIGINT, size BIGINT, trace_id STRING SKIPPING INDEX) WITH (append_mode = 'true')`

export const pipeline = `
processors:
  - epoch: { field: at, resolution: ms }
transform:
  - { field: at, type: "time, ms", index: timestamp }
  - { fields: [level, service, host], type: string }
  - { field: message, type: string, index: fulltext }
  - { fields: [status, size], type: int64 }
  - { field: trace_id, type: string, index: skipping }
`

export interface Question {
  readonly name: string
  readonly sql: string
  /** The document of \`/v1/logs\`, without its table. */
  readonly document: Readonly<Record<string, unknown>>
  /** Milliseconds VictoriaLogs took for it over three million such lines, and samples a second VictoriaMetrics took there: see the table. */
  readonly peer: number
}

const column = (name: string) => ({ NamedIdent: name })
const one = (name: string, ...filters: unknown[]) => ({ Single: { expr: column(name), filters } })
const call = (name: string, ...args: unknown[]) => ({ name, args, alias: 'n' })
const grouped = (by: unknown[], made: unknown) => [{ AggrFunc: { expr: [made], by } }]
const minute = { ScalarFunc: { name: 'date_trunc', args: [{ Literal: 'minute' }, column('at')], alias: 'minute' } }

export function questions(): readonly Question[] {
  const trace = traceOf(tracedLine)
  const phrase = 'connection reset by peer'
  const expression = 'payment [0-9]+ of user .* was refused'
  return [
    {
      name: 'count by level',
      sql: `SELECT level, count(*) FROM ${table} GROUP BY level ORDER BY level`,
      document: { exprs: grouped([column('level')], call('count')) },
      peer: 2.1
    },
    {
      name: 'top 10 hosts',
      sql: `SELECT host, count(*) AS n FROM ${table} GROUP BY host ORDER BY n DESC, host LIMIT 10`,
      document: {
        exprs: grouped([column('host')], call('count')),
        order_by: [{ expr: column('n'), order: 'desc' }, 'host'],
        limit: { fetch: 10 }
      },
      peer: 1.9
    },
    {
      name: 'a trace id',
      sql: `SELECT * FROM ${table} WHERE trace_id = '${trace}'`,
      document: { filters: one('trace_id', { Exact: trace }) },
      peer: 3.2
    },
    {
      name: 'count of a common phrase',
      sql: `SELECT count(*) FROM ${table} WHERE message LIKE '%${phrase}%'`,
      document: { filters: one('message', { Contains: phrase }), exprs: grouped([], call('count')) },
      peer: 95
    },
    {
      name: 'a rare address',
      sql: `SELECT * FROM ${table} WHERE message LIKE '%${rareAddress}%' ORDER BY "at"`,
      document: { filters: one('message', { Contains: rareAddress }), order_by: ['at'] },
      peer: 93
    },
    {
      name: 'count by expression',
      sql: `SELECT count(*) FROM ${table} WHERE regexp_matches(message, '${expression}')`,
      document: { filters: one('message', { Regex: expression }), exprs: grouped([], call('count')) },
      peer: 108
    },
    {
      name: 'newest 100',
      sql: `SELECT * FROM ${table} ORDER BY "at" DESC LIMIT 100`,
      document: { limit: { fetch: 100 } },
      peer: 109
    },
    {
      name: 'errors per minute',
      sql: `SELECT date_trunc('minute', "at") AS minute, count(*) FROM ${table} WHERE level = 'error' GROUP BY minute ORDER BY minute`,
      document: {
        filters: one('level', { Exact: 'error' }),
        exprs: grouped([minute], call('count')),
        limit: { fetch: 10_000 }
      },
      peer: 7.4
    },
    {
      name: 'average size by service',
      sql: `SELECT service, avg(size) FROM ${table} GROUP BY service ORDER BY service`,
      document: { exprs: grouped([column('service')], call('avg', column('size'))) },
      peer: 11.9
    }
  ]
}
