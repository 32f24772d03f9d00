// What a soak asks of the server, one entry a kind of request: a new protocol joins by one more. Writes come first, so that queries find
// their tables.
import { encodeSnappy } from '../../../core/wire/index.ts'
import { writeV1 } from '../../plugins/metricsys/messages.ts'

export interface SoakRequest {
  readonly path: string
  /** `POST` where there is a body. */
  readonly method?: 'GET' | 'POST' | 'DELETE'
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array<ArrayBuffer>
}

export interface SoakJob {
  readonly name: string
  /** Milliseconds from one request to the next; one that takes longer is followed at once. */
  readonly every: number
  /** `turn` counts its requests from 0, `now` is in milliseconds since 1970. */
  request(turn: number, now: number): SoakRequest
}

export const pipelineName = 'soak_lines'

export const pipeline = `processors:
  - dissect:
      fields: [message]
      patterns: ['%{at} %{level} %{service} %{text}']
  - date: { field: at, formats: ['%Y-%m-%dT%H:%M:%S%.3fZ'] }
transform:
  - { fields: [level, service], type: string, index: tag }
  - { field: text, type: string, index: fulltext }
  - { field: at, type: time, index: timestamp }
`

const json = { 'content-type': 'application/json' }
const form = { 'content-type': 'application/x-www-form-urlencoded' }
const levels = ['debug', 'info', 'info', 'info', 'warn', 'error']
const words = ['cart', 'order', 'payment', 'refund', 'login', 'timeout', 'retry', 'stock']
const hosts = 50

const list = <T>(count: number, make: (i: number) => T) => Array.from({ length: count }, (_, i) => make(i))
const pick = (from: readonly string[], i: number) => from[i % from.length]!
const text = (turn: number, i: number) =>
  `${pick(words, turn + i)} ${pick(words, turn * 7 + i * 3)} number ${turn}-${i}`
const nanoseconds = (now: number, i: number) => `${now}${String(i).padStart(6, '0')}`
const parameters = (query: Readonly<Record<string, string>>) => new URLSearchParams(query).toString()

export const writes: readonly SoakJob[] = [
  {
    name: 'ingest NDJSON',
    every: 200,
    request: (turn, now) => ({
      path: '/v1/ingest?table=soak_events&pipeline_name=svc_identity',
      headers: { 'content-type': 'application/x-ndjson' },
      body: list(500, i =>
        JSON.stringify({ at: new Date(now).toISOString(), level: pick(levels, i), size: turn + i, text: text(turn, i) })
      ).join('\n')
    })
  },
  {
    name: 'ingest text',
    every: 250,
    request: (turn, now) => ({
      path: `/v1/ingest?table=soak_lines&pipeline_name=${pipelineName}`,
      headers: { 'content-type': 'text/plain' },
      body: list(500, i => {
        const head = `${new Date(now + (i % 100)).toISOString()} ${pick(levels, i)} service-${i % 9}`
        return `${head} ${text(turn, i)}`
      }).join('\n')
    })
  },
  {
    name: 'remote write',
    every: 250,
    request: (turn, now) => ({
      path: '/v1/metricsys/write',
      headers: { 'content-type': 'application/x-protobuf', 'content-encoding': 'snappy' },
      body: new Uint8Array(
        encodeSnappy(
          writeV1(
            list(1000, i => ({
              labels: { __name__: `soak_load_${i % 10}`, host: `host-${i % hosts}`, cpu: `${Math.floor(i / 500)}` },
              samples: [[now, Math.sin((turn + i) / 50)]] as const
            }))
          )
        )
      )
    })
  },
  {
    name: 'line protocol',
    every: 300,
    request: (turn, now) => ({
      path: '/v1/lineproto/write',
      body: list(500, i => `soak_weather,host=host-${i % hosts} a=${turn + i}.5,b=${i}i ${nanoseconds(now, i)}`).join(
        '\n'
      )
    })
  },
  {
    name: 'telemetry logs',
    every: 400,
    request: (turn, now) => ({
      path: '/v1/telemetry/v1/logs',
      headers: json,
      body: JSON.stringify({
        resourceLogs: [{ resource: resource(turn), scopeLogs: [{ logRecords: logRecords(turn, now) }] }]
      })
    })
  },
  {
    name: 'telemetry traces',
    every: 400,
    request: (turn, now) => ({
      path: '/v1/telemetry/v1/traces',
      headers: { ...json, 'x-svc-pipeline-name': 'svc_trace_v1' },
      body: JSON.stringify({ resourceSpans: [{ resource: resource(turn), scopeSpans: [{ spans: spans(turn, now) }] }] })
    })
  },
  {
    name: 'telemetry metrics',
    every: 400,
    request: (turn, now) => ({
      path: '/v1/telemetry/v1/metrics',
      headers: json,
      body: JSON.stringify({
        resourceMetrics: [{ resource: resource(turn), scopeMetrics: [{ metrics: metrics(turn, now) }] }]
      })
    })
  },
  {
    name: 'log push',
    every: 400,
    request: (turn, now) => ({
      path: '/v1/logpush/api/v1/push',
      headers: json,
      body: JSON.stringify({
        streams: list(5, stream => ({
          stream: { job: 'soak', host: `host-${stream}` },
          values: list(40, i => [nanoseconds(now, i), text(turn, i)])
        }))
      })
    })
  },
  {
    name: 'event collector',
    every: 400,
    request: (turn, now) => ({
      path: '/v1/eventcollector/services/collector/event',
      headers: json,
      body: list(100, i =>
        JSON.stringify({ time: now / 1000, host: `host-${i % hosts}`, event: { text: text(turn, i), size: i } })
      ).join('\n')
    })
  },
  {
    name: 'tsdb put',
    every: 400,
    request: (turn, now) => ({
      path: '/v1/tsdbput/api/put',
      headers: json,
      body: JSON.stringify(
        list(100, i => ({
          metric: `soak.put.${i % 4}`,
          timestamp: now,
          value: turn + i,
          tags: { host: `host-${i % hosts}` }
        }))
      )
    })
  },
  {
    name: 'INSERT',
    every: 500,
    request: (turn, now) =>
      sql(
        `INSERT INTO soak_rows (host, at, turn) VALUES ${list(20, i => `('host-${i}', ${now + i}, ${turn})`).join(', ')}`
      )
  }
]

export const queries: readonly SoakJob[] = [
  query('count', 700, () => 'SELECT level, count(*), max(size) FROM soak_events GROUP BY level ORDER BY level'),
  query('newest rows', 700, () => 'SELECT * FROM soak_lines ORDER BY at DESC LIMIT 100'),
  query('search', 900, turn => `SELECT count(*) FROM soak_lines WHERE matches_term(text, '${pick(words, turn)}')`),
  query('newest values', 900, () => 'SELECT host, max(turn) FROM soak_rows GROUP BY host'),
  {
    name: 'PromQL range',
    every: 600,
    request: (turn, now) => {
      const query = `sum by (host) (rate(soak_load_${turn % 10}[1m]))`
      const range = { start: String(now / 1000 - 300), end: String(now / 1000), step: '5' }
      return { path: `/v1/metricsys/api/v1/query_range?${parameters({ query, ...range })}` }
    }
  },
  {
    name: 'PromQL instant',
    every: 600,
    request: (turn, now) => {
      const time = String(now / 1000)
      const query = `topk(3, soak_load_${turn % 10})`
      return { path: `/v1/promql?${parameters({ query, start: time, end: time, step: '1' })}` }
    }
  },
  {
    name: 'log query',
    every: 800,
    request: turn => ({
      path: '/v1/logs',
      headers: json,
      body: JSON.stringify({
        table: { catalog_name: 'svc', schema_name: 'public', table_name: 'soak_lines' },
        time_filter: { start: null, end: null, span: '60' },
        limit: { skip: null, fetch: 100 },
        columns: ['at', 'text'],
        filters: { Single: { expr: { NamedIdent: 'text' }, filters: [{ Contains: pick(words, turn) }] } },
        context: 'None',
        exprs: []
      })
    })
  },
  { name: 'labels', every: 2000, request: () => ({ path: '/v1/metricsys/api/v1/labels' }) },
  { name: 'status', every: 1000, request: () => ({ path: '/status' }) }
]

export const upkeep: readonly SoakJob[] = [
  query('flush', 11_000, turn => `ADMIN flush_table('${pick(['soak_events', 'soak_lines', 'soak_rows'], turn)}')`),
  query('compact', 17_000, turn => `ADMIN compact_table('${pick(['soak_events', 'soak_lines', 'soak_rows'], turn)}')`),
  {
    name: 'new pipeline',
    every: 5000,
    request: () => ({
      path: '/v1/pipelines/soak_changing',
      method: 'POST',
      headers: { 'content-type': 'application/x-yaml' },
      body: pipeline
    })
  },
  {
    name: 'CPU profile',
    every: 60_000,
    request: () => ({ path: '/debug/prof/cpu?seconds=1&output=text', method: 'POST' })
  }
]

function query(name: string, every: number, statement: (turn: number) => string): SoakJob {
  return { name, every, request: turn => sql(statement(turn)) }
}

/** A statement as a request. */
export function sql(statement: string): SoakRequest {
  return { path: '/v1/sql', headers: form, body: parameters({ sql: statement }) }
}

function resource(turn: number) {
  return { attributes: [{ key: 'service.name', value: { stringValue: `service-${turn % 5}` } }] }
}

function logRecords(turn: number, now: number) {
  return list(100, i => ({
    timeUnixNano: nanoseconds(now, i),
    severityText: pick(levels, i),
    body: { stringValue: text(turn, i) }
  }))
}

function spans(turn: number, now: number) {
  const hex = (number: number, length: number) => number.toString(16).padStart(length, '0')
  return list(50, i => ({
    traceId: hex(now * 1000 + turn, 32),
    spanId: hex(now * 100 + i + 1, 16),
    name: `GET /${pick(words, i)}`,
    kind: 2,
    startTimeUnixNano: nanoseconds(now, i),
    endTimeUnixNano: nanoseconds(now + 5, i)
  }))
}

function metrics(turn: number, now: number) {
  const dataPoints = list(hosts, i => ({
    timeUnixNano: nanoseconds(now, 0),
    asDouble: turn + i,
    attributes: [{ key: 'host', value: { stringValue: `host-${i}` } }]
  }))
  return [{ name: 'soak.temperature', gauge: { dataPoints } }]
}
