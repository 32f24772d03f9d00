// The requests of a mixed load: target, body, and the rows each makes. A row names its request and its item.
import { encodeSnappy } from '../../../core/wire/index.ts'
import { writeV1 } from '../../plugins/metricsys/messages.ts'
import { recordJson } from '../../plugins/telemetry/logs/messages.ts'

export const kinds = ['points', 'samples', 'lines', 'records', 'rows'] as const
export type Kind = (typeof kinds)[number]

export interface MixedRequest {
  readonly id: number
  readonly kind: Kind
  readonly table: string
  readonly items: number
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Uint8Array<ArrayBuffer>
}

/** The table that SQL writes to; the others are made by their first request. */
export const tableStatement =
  "CREATE TABLE IF NOT EXISTS mix_rows (request BIGINT, item BIGINT, at TIMESTAMP(3) TIME INDEX) WITH (append_mode = 'true')"

/** Requests that one column, or one table, is new with: both front ends bring it at about the same time. */
const perColumn = 40
const perTable = 300

export function mixedRequest(id: number, kind: Kind, items: number): MixedRequest {
  const column = `extra_${Math.floor(id / perColumn) % 50}`
  const table = kind === 'points' || kind === 'samples' ? `mix_${kind}_${Math.floor(id / perTable) % 5}` : `mix_${kind}`
  const all = Array.from({ length: items }, (_, item) => item)
  return { id, kind, table, items, ...contentOf({ id, kind, table, all, column }) }
}

interface Draft {
  readonly id: number
  readonly kind: Kind
  readonly table: string
  readonly all: readonly number[]
  readonly column: string
}

function contentOf({ id, kind, table, all, column }: Draft): Pick<MixedRequest, 'path' | 'headers' | 'body'> {
  switch (kind) {
    case 'points': {
      const lines = all.map(item => `${table},item=${item} request=${id}i,${column}=${item} ${id}`)
      const headers = { 'content-type': 'text/plain', 'x-svc-hints': 'append_mode=true' }
      return { path: '/v1/lineproto/write?precision=ms', headers, body: lines.join('\n') }
    }
    case 'samples': {
      const series = all.map(item => ({
        labels: { __name__: table, item: String(item), ...(item === 0 && { [column]: 'x' }) },
        samples: [[id, id] as const]
      }))
      const headers = { 'content-type': 'application/x-protobuf', 'content-encoding': 'snappy' }
      return { path: '/v1/metricsys/write', headers, body: Uint8Array.from(encodeSnappy(writeV1(series))) }
    }
    case 'lines': {
      const lines = all.map(item => JSON.stringify({ request: id, item, at: id, [column]: 'x' }))
      const path = `/v1/ingest?table=${table}&pipeline_name=svc_identity&custom_time_index=at;epoch;ms`
      return { path, headers: { 'content-type': 'application/x-ndjson' }, body: lines.join('\n') }
    }
    case 'records': {
      const logRecords = all.map(item => recordJson({ time: BigInt(id) * 1000n + BigInt(item), body: `of ${id}` }))
      const resource = { attributes: [{ key: 'service.name', value: { stringValue: `s${id % 5}` } }] }
      const body = JSON.stringify({
        resourceLogs: [{ resource, scopeLogs: [{ scope: { name: 'mixed' }, logRecords }] }]
      })
      const headers = { 'content-type': 'application/json', 'x-svc-log-table-name': table }
      return { path: '/v1/telemetry/v1/logs', headers, body }
    }
    case 'rows': {
      const values = all.map(item => `(${id}, ${item}, ${id})`)
      const sql = `INSERT INTO mix_rows (request, item, at) VALUES ${values.join(', ')}`
      const headers = { 'content-type': 'application/x-www-form-urlencoded' }
      return { path: '/v1/sql', headers, body: new URLSearchParams({ sql }).toString() }
    }
  }
}

/** A statement with a row for each request that has rows in the table: its number, its rows, its different rows. */
export function countStatement(kind: Kind, table: string): string {
  const [request, item] = {
    points: ['request', 'item'],
    samples: ['toInt64(svc_value)', 'item'],
    lines: ['request', 'item'],
    records: ['intDiv(toUnixTimestamp64Nano(timestamp), 1000)', 'toUnixTimestamp64Nano(timestamp) % 1000'],
    rows: ['request', 'item']
  }[kind]
  return `SELECT ${request} AS r, count() AS n, uniqExact(${item}) AS items FROM ${table} GROUP BY r ORDER BY r`
}
