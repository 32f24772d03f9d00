// The same log events in the bodies of four protocols: what agents on many hosts send, a host's own lines in each body.
import { encodeSnappy, ProtoWriter } from '../core/wire/index.ts'
import { type Corpus, sequence } from './corpus.ts'

interface LogEvent {
  /** Milliseconds since 1970. */
  readonly time: number
  readonly host: string
  readonly service: string
  readonly level: string
  readonly message: string
  readonly status: number
  readonly size: number
  readonly traceId: string
}

const routes = ['/', '/cart', '/cart/items', '/products/list', '/products/view?id=8812', '/account', '/assets/site.css']
const statuses = [200, 200, 200, 200, 200, 204, 302, 404, 503]
const hosts = 150
const services = 12

/** Events of one host after the other, so many for each body. */
function* logBodies(lines: number, perBody = 1000): Generator<readonly LogEvent[]> {
  const random = sequence(7)
  const start = Date.UTC(2026, 0, 1)
  for (let at = 0; at < lines; at += perBody) {
    const host = `node-${Math.floor(random() * hosts)}.internal`
    yield Array.from({ length: Math.min(perBody, lines - at) }, (_, i) => {
      const status = statuses[Math.floor(random() * statuses.length)]!
      const address = `172.${16 + Math.floor(random() * 16)}.${Math.floor(random() * 256)}.${Math.floor(random() * 256)}`
      const route = routes[Math.floor(random() * routes.length)]!
      return {
        time: start + (at + i) * 3,
        host,
        service: `shop-${Math.floor(random() * services)}`,
        level: status >= 500 ? 'error' : status >= 400 ? 'warn' : 'info',
        message: `${route} answered to ${address} after ${Math.floor(random() * 700)} ms`,
        status,
        size: Math.floor(random() * 90_000),
        traceId: Math.floor(random() * 2 ** 52).toString(16)
      }
    })
  }
}

/** A protocol: how a body of events looks, and where it goes. */
export interface LogProtocol {
  readonly name: string
  readonly path: string
  readonly table: string
  readonly headers: Readonly<Record<string, string>>
  encode(events: readonly LogEvent[]): Buffer
}

export const logProtocols: readonly LogProtocol[] = [
  {
    name: 'push, protobuf',
    path: '/v1/logpush/api/v1/push',
    table: 'push_protobuf',
    headers: { 'Content-Type': 'application/x-protobuf', 'x-svc-log-table-name': 'push_protobuf' },
    encode: events => Buffer.from(encodeSnappy(pushProtobuf(events)))
  },
  {
    name: 'push, JSON',
    path: '/v1/logpush/api/v1/push',
    table: 'push_json',
    headers: { 'Content-Type': 'application/json', 'x-svc-log-table-name': 'push_json' },
    encode: events => Buffer.from(pushJson(events))
  },
  {
    name: 'event collector',
    path: '/v1/eventcollector/services/collector/event?table=collected',
    table: 'collected',
    headers: { 'Content-Type': 'application/json' },
    encode: events => Buffer.from(events.map(collected).join(''))
  },
  {
    name: 'ingest, NDJSON',
    path: '/v1/ingest?table=ingested&pipeline_name=svc_identity',
    table: 'ingested',
    headers: { 'Content-Type': 'application/x-ndjson' },
    encode: events => Buffer.from(events.map(event => `${ingested(event)}\n`).join(''))
  }
]

export function logCorpus({ name, headers, encode }: LogProtocol, lines: number): Corpus {
  return { name, headers, bodies: Array.from(logBodies(lines), encode), items: lines }
}

function byStream(events: readonly LogEvent[]): ReadonlyMap<string, readonly LogEvent[]> {
  return Map.groupBy(events, ({ host, level, service }) => `{host="${host}", level="${level}", service="${service}"}`)
}

function line({ message, status, size }: LogEvent): string {
  return `status=${status} size=${size} msg="${message}"`
}

function pushProtobuf(events: readonly LogEvent[]): Uint8Array {
  const out = new ProtoWriter()
  for (const [labels, entries] of byStream(events)) {
    const stream = new ProtoWriter().text(1, labels)
    for (const event of entries) {
      const nanoseconds = (event.time % 1000) * 1e6
      const stamp = new ProtoWriter().uint(1, Math.floor(event.time / 1000)).uint(2, nanoseconds).bytes
      const metadata = new ProtoWriter().text(1, 'trace_id').text(2, event.traceId).bytes
      stream.data(2, new ProtoWriter().data(1, stamp).text(2, line(event)).data(3, metadata).bytes)
    }
    out.data(1, stream.bytes)
  }
  return out.bytes
}

/** Quotes in the line are escaped, as a client's writer of JSON does. */
function pushJson(events: readonly LogEvent[]): string {
  const streams = Array.from(byStream(events).values(), entries => {
    const { host, level, service } = entries[0]!
    const values = entries.map(event => [`${event.time}000000`, line(event), { trace_id: event.traceId }])
    return { stream: { host, level, service }, values }
  })
  return JSON.stringify({ streams })
}

function collected({ time, host, service, level, message, status, size, traceId }: LogEvent): string {
  const event = { level, service, message, status, size, trace_id: traceId }
  return JSON.stringify({ time: time / 1000, host, sourcetype: 'shop', event })
}

function ingested({ time, host, service, level, message, status, size, traceId }: LogEvent): string {
  const timestamp = new Date(time).toISOString()
  return JSON.stringify({ timestamp, level, service, host, message, status, size, trace_id: traceId })
}
