// The requests of a chaos run: where they go, what they carry, and which rows they make.
import { encodeSnappy } from '../../../core/wire/index.ts'
import { writeProtobuf as writePush } from '../../plugins/logpush/messages.ts'
import { writeV1 } from '../../plugins/metricsys/messages.ts'
import { encodeTraces } from '../../plugins/telemetry/traces/encode.ts'
import type { Portion } from './ledger.ts'
import { keysPerSender, newestTables } from './newest.ts'
import type { Random } from './random.ts'

export interface ChaosRequest {
  readonly path: string
  readonly contentType: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body: string | Uint8Array<ArrayBuffer>
}

/** `metrics` are lines for logical tables, `samples` are remote write, `points` line protocol, `spans` OTLP, `pushed` log push, `collected` the event collector; `newest` and `latest` overwrite rows, and delete them. */
export type Kind =
  | 'events'
  | 'audit'
  | 'lines'
  | 'metrics'
  | 'samples'
  | 'points'
  | 'spans'
  | 'pushed'
  | 'collected'
  | 'rows'
  | OverwritingKind
export type OverwritingKind = 'newest' | 'latest'

export const kinds: readonly Kind[] = [
  'events',
  'audit',
  'lines',
  'lines',
  'metrics',
  'samples',
  'points',
  'spans',
  'pushed',
  'collected',
  'rows',
  'newest',
  'latest'
]

/** Kinds whose requests go to several tables. */
const sharded: readonly Kind[] = ['lines', 'metrics', 'samples', 'points', 'collected']

/** Kinds whose tables get columns now and then. */
const widening: readonly Kind[] = ['events', 'audit', 'samples', 'points', 'spans', 'collected']

/** Tables that may be dropped, by the kind that writes to them. */
export const droppable: readonly (readonly [Kind, string])[] = [
  ['events', 'chaos_events'],
  ['audit', 'chaos_audit'],
  ['lines', 'chaos_lines_a'],
  ['lines', 'chaos_lines_b'],
  ['lines', 'chaos_lines_c'],
  ['metrics', 'chaos_metrics_a'],
  ['metrics', 'chaos_metrics_b'],
  ['samples', 'chaos_samples_a'],
  ['points', 'chaos_points_a'],
  ['points', 'chaos_points_b'],
  ['spans', 'chaos_spans'],
  ['pushed', 'chaos_pushed'],
  ['collected', 'chaos_collected_a'],
  ['collected', 'chaos_collected_b'],
  ['rows', 'chaos_rows']
]

export const pipelineName = 'chaos_lines'

export const pipeline = `processors:
  - dissect:
      field: message
      pattern: '%{request} %{item} %{shard} %{note}'
transform:
  - { fields: [request, item], type: int64 }
  - { fields: [shard, note], type: string }
table_suffix: _\${shard}
`

/** Tables that SQL writes to; the others are made by their first request. */
export const tableStatements = `CREATE TABLE IF NOT EXISTS chaos_rows (request BIGINT, item BIGINT, note STRING, at TIMESTAMP(3) TIME INDEX)
  WITH (append_mode = 'true');
CREATE TABLE IF NOT EXISTS ${newestTables.newest} (sender BIGINT, slot BIGINT, request BIGINT, note STRING,
  at TIMESTAMP(3) TIME INDEX, PRIMARY KEY (sender, slot));
CREATE TABLE IF NOT EXISTS ${newestTables.latest} (sender BIGINT, slot BIGINT, request BIGINT, note STRING,
  at TIMESTAMP(3) TIME INDEX, PRIMARY KEY (sender, slot)) WITH (physical_table = 'chaos_host', merge_mode = 'last_non_null')`

interface Item {
  readonly item: number
  readonly table: string
  readonly note: string
}

/** What a request will carry, before it has a number. */
export interface Draft {
  readonly kind: Kind
  readonly items: readonly Item[]
  /** The column that takes the notes: in a document any may turn up. */
  readonly column: string
  /** Hides the rows of the sender instead of writing them. */
  readonly deletes: boolean
}

export function draft(kind: Kind, random: Random): Draft {
  if (isOverwriting(kind)) return { kind, items: [], column: 'note', deletes: random.chance(0.25) }
  const shards = ['a', 'b', 'c'].filter(() => random.chance(0.7))
  const table = () =>
    sharded.includes(kind) ? `chaos_${kind}_${random.pick(shards.length > 0 ? shards : ['a'])}` : `chaos_${kind}`
  const longest = random.chance(0.2) ? 3000 : 80
  const items = Array.from({ length: random.between(1, 30) }, (_, item) => {
    const note = random.pick(['x', 'yz', 'ä']).repeat(random.between(1, longest))
    return { item, table: table(), note: kind === 'samples' ? '' : note }
  })
  const mayWiden = widening.includes(kind)
  const column = mayWiden && random.chance(0.1) ? `note_${random.between(1, 40)}` : 'note'
  return { kind, items, column, deletes: false }
}

export function isOverwriting(kind: Kind): kind is OverwritingKind {
  return kind === 'newest' || kind === 'latest'
}

export function portions({ items }: Draft): Map<string, Portion> {
  const byTable = Map.groupBy(items, ({ table }) => table)
  return new Map(
    [...byTable].map(([table, items]) => {
      const characters = items.reduce((sum, { note }) => sum + note.length, 0)
      return [table, { rows: items.length, characters }]
    })
  )
}

export function request({ kind, items, column, deletes }: Draft, id: number, sender: number): ChaosRequest {
  if (kind === 'lines' || kind === 'metrics') {
    const lines = items.map(({ item, table, note }) => `${id} ${item} ${table.at(-1)} ${note}`)
    const path = `/v1/ingest?table=chaos_${kind}&pipeline_name=${pipelineName}`
    const headers = kind === 'metrics' ? { headers: { 'x-svc-hints': 'physical_table=chaos_physical' } } : {}
    return { path, contentType: 'text/plain', body: lines.join('\n'), ...headers }
  }
  if (kind === 'samples') return samples(items, id, column)
  if (kind === 'spans') return spans(items, id, column)
  if (kind === 'pushed') return pushed(items, id)
  if (kind === 'collected') return collected(items, id, column)
  if (kind === 'points') {
    const lines = items.map(({ item, table, note }) => `${table},item=${item} request=${id}i,${column}="${note}" ${id}`)
    return { path: '/v1/lineproto/write', contentType: 'text/plain', body: lines.join('\n') }
  }
  if (kind === 'rows') {
    const values = items.map(({ item, note }) => `(${id}, ${item}, '${note}', ${item})`)
    return sql(`INSERT INTO chaos_rows (request, item, note, at) VALUES ${values.join(', ')}`)
  }
  if (isOverwriting(kind)) {
    const table = newestTables[kind]
    if (deletes) return sql(`DELETE FROM ${table} WHERE sender = ${sender} AND note LIKE 'of %'`)
    const values = Array.from(
      { length: keysPerSender },
      (_, slot) => `(${sender}, ${slot}, ${id}, 'of ${id}', ${slot})`
    )
    return sql(`INSERT INTO ${table} (sender, slot, request, note, at) VALUES ${values.join(', ')}`)
  }
  const lines = items.map(({ item, note }) => JSON.stringify({ request: id, item, [column]: note }))
  const path = `/v1/ingest?table=chaos_${kind}&pipeline_name=svc_identity`
  return { path, contentType: 'application/x-ndjson', body: lines.join('\n') }
}

/** The number of a sample is its request; series come back in later requests, now and then with a label more. */
function samples(items: readonly Item[], id: number, column: string): ChaosRequest {
  const series = items.map(({ item, table }) => ({
    labels: { __name__: table, item: String(item), ...(column !== 'note' && { [column]: 'x' }) },
    samples: [[id, id] as const]
  }))
  const body = Uint8Array.from(encodeSnappy(writeV1(series)))
  const path = '/v1/metricsys/write?physical_table=chaos_series'
  return { path, contentType: 'application/x-protobuf', body }
}

/** Every attribute is a column; the services of a request come back in later ones. */
function spans(items: readonly Item[], id: number, column: string): ChaosRequest {
  const all = items.map(({ item, note }) => ({
    traceId: (id + 1).toString(16).padStart(32, '0'),
    spanId: (item + 1).toString(16).padStart(16, '0'),
    name: `work ${item % 3}`,
    start: BigInt(id),
    attributes: [
      ['request', BigInt(id)],
      ['item', BigInt(item)],
      [column, note]
    ] as const
  }))
  const body = Uint8Array.from(
    encodeTraces([{ attributes: [['service.name', `s${id % 5}`]], scopes: [{ spans: all }] }])
  )
  const headers = { 'x-svc-trace-table-name': 'chaos_spans' }
  return { path: '/v1/telemetry/v1/traces', contentType: 'application/x-protobuf', body, headers }
}

/** Request and item are labels, the note is the line. */
function pushed(items: readonly Item[], id: number): ChaosRequest {
  const streams = items.map(({ item, note }) => ({
    labels: { request: String(id), item: String(item) },
    entries: [{ time: BigInt(id), line: note }]
  }))
  const body = Uint8Array.from(encodeSnappy(writePush(streams)))
  const headers = { 'x-svc-log-table-name': 'chaos_pushed' }
  return { path: '/v1/logpush/api/v1/push', contentType: 'application/x-protobuf', body, headers }
}

/** One request writes to several tables; the hosts of a request come back in later ones. */
function collected(items: readonly Item[], id: number, column: string): ChaosRequest {
  const events = items.map(({ item, table, note }) =>
    JSON.stringify({ index: table, host: `h${id % 5}`, event: 'x', request: id, item, [column]: note })
  )
  const path = '/v1/eventcollector/services/collector/event'
  return { path, contentType: 'application/json', body: events.join('') }
}

export function sql(statement: string): ChaosRequest {
  const body = new URLSearchParams({ sql: statement }).toString()
  return { path: '/v1/sql', contentType: 'application/x-www-form-urlencoded', body }
}
