// Rows for the storage bench, as decoders hand them over: typed arrays made anew for every write, always the same for the same job.

import type { BytesData, Column, ColumnData } from '../core/model/batch.ts'
import type { ColumnDefinition, Semantic, TableOptions } from '../core/model/table.ts'
import type { ColumnType } from '../core/model/types.ts'
import { sequence } from './corpus.ts'

export interface Batch {
  readonly rows: number
  readonly columns: readonly Column[]
}

/** A table and the writes that fill it. */
export interface RowJob {
  readonly columns: readonly ColumnDefinition[]
  readonly options: TableOptions
  readonly writes: number
  readonly rowsPerWrite: number
  /** Write `i`, from 0, asked for once each and in order. */
  batch(i: number): Batch
}

const start = Date.UTC(2026, 0, 1)
const tagNames = [
  'arch',
  'cluster',
  'host',
  'metric',
  'namespace',
  'os',
  'pod',
  'region',
  'service',
  'team',
  'version'
] as const

/** Samples of many series in rounds, ten seconds apart; each write holds the next series of a round, 11 tags on every row. */
export function taggedJob(series: number, rounds: number, rowsPerWrite = 2000): RowJob {
  const random = sequence(11)
  const perRound = series / rowsPerWrite
  const tags = Array.from({ length: perRound }, (_, part) => tagColumns(part * rowsPerWrite, rowsPerWrite))
  const level = Float64Array.from({ length: series }, () => Math.floor(random() * 100))
  return {
    columns: [
      ...tagNames.map(name => definition(name, 'String', 'tag')),
      definition('at', 'TimestampMillisecond', 'timestamp'),
      definition('value', 'Float64')
    ],
    options: {},
    writes: perRound * rounds,
    rowsPerWrite,
    batch(i) {
      const part = i % perRound
      const at = BigInt(start + Math.floor(i / perRound) * 10_000)
      const values = new Float64Array(rowsPerWrite)
      for (let row = 0; row < rowsPerWrite; row++) {
        values[row] = step(level, part * rowsPerWrite + row, random)
      }
      const time = fixed('at', 'TimestampMillisecond', new BigInt64Array(rowsPerWrite).fill(at), 'timestamp')
      return { rows: rowsPerWrite, columns: [...tags[part]!, time, fixed('value', 'Float64', values)] }
    }
  }
}

/** Samples of one sensor ten milliseconds apart, no tags. */
export function plainJob(rows: number, rowsPerWrite = 2000): RowJob {
  const random = sequence(13)
  const level = Float64Array.of(50)
  return {
    columns: [definition('at', 'TimestampMillisecond', 'timestamp'), definition('value', 'Float64')],
    options: {},
    writes: rows / rowsPerWrite,
    rowsPerWrite,
    batch(i) {
      const first = start + i * rowsPerWrite * 10
      const times = BigInt64Array.from({ length: rowsPerWrite }, (_, row) => BigInt(first + row * 10))
      const values = Float64Array.from({ length: rowsPerWrite }, () => step(level, 0, random))
      const time = fixed('at', 'TimestampMillisecond', times, 'timestamp')
      return { rows: rowsPerWrite, columns: [time, fixed('value', 'Float64', values)] }
    }
  }
}

const levels = ['info', 'info', 'info', 'debug', 'warn', 'error']
const routes = ['/', '/cart', '/cart/items', '/products/list', '/products/view', '/account', '/assets/site.css']

/** Log events of 8 columns, 5 of them text, in the order they happened; every row is kept. `special` gives some rows another message. */
export function logJob(
  rows: number,
  rowsPerWrite = 1000,
  special: (row: number) => string | undefined = () => undefined
): RowJob {
  const random = sequence(17)
  const pick = (list: readonly string[]) => list[Math.floor(random() * list.length)]!
  const text = (name: string, make: (row: number) => string): Column =>
    bytes(
      name,
      Array.from({ length: rowsPerWrite }, (_, row) => make(row))
    )
  const integers = (name: string, below: number): Column =>
    fixed(
      name,
      'Int64',
      BigInt64Array.from({ length: rowsPerWrite }, () => BigInt(Math.floor(random() * below)))
    )
  const batch = (i: number): Batch => {
    const first = start + i * rowsPerWrite * 3
    const times = BigInt64Array.from({ length: rowsPerWrite }, (_, row) => BigInt(first + row * 3))
    return {
      rows: rowsPerWrite,
      columns: [
        fixed('at', 'TimestampMillisecond', times, 'timestamp'),
        text('level', () => pick(levels)),
        text('service', () => `shop-${Math.floor(random() * 12)}`),
        text('host', () => `node-${Math.floor(random() * 150)}.internal`),
        text('message', row => {
          const usual = `${pick(routes)} answered after ${Math.floor(random() * 700)} ms to ${address(random)}`
          return special(i * rowsPerWrite + row) ?? usual
        }),
        text('trace_id', () => Math.floor(random() * 2 ** 52).toString(16)),
        integers('status', 600),
        integers('size', 90_000)
      ]
    }
  }
  return {
    columns: batch(0).columns.map(({ name, type, semantic }) => definition(name, type, semantic)),
    options: { append_mode: true },
    writes: rows / rowsPerWrite,
    rowsPerWrite,
    batch
  }
}

function address(random: () => number): string {
  return `172.16.${Math.floor(random() * 256)}.${Math.floor(random() * 256)}`
}

/** A gauge from 0 to 100 that moves by whole steps. */
function step(level: Float64Array, i: number, random: () => number): number {
  const moved = level[i]! + Math.round((random() - 0.5) * 4)
  level[i] = Math.max(0, Math.min(100, moved))
  return level[i]
}

function tagColumns(first: number, rows: number): Column[] {
  const make: Readonly<Record<(typeof tagNames)[number], (host: number, metric: number) => string>> = {
    arch: host => (host % 2 ? 'aarch64' : 'x86_64'),
    cluster: host => `production-${host % 6}`,
    host: host => `node-${host}.internal`,
    metric: (_host, metric) => `process_metric_${metric}`,
    namespace: host => ['default', 'monitoring', 'shop', 'search'][host % 4]!,
    os: () => 'linux',
    pod: host => `shop-${(host * 7919).toString(36)}-${host}`,
    region: host => `eu-north-${host % 3}`,
    service: host => `service-${host % 20}`,
    team: host => ['checkout', 'platform', 'search', 'data'][host % 4]!,
    version: host => `1.${host % 7}.${host % 3}`
  }
  return tagNames.map(name => {
    const texts = Array.from({ length: rows }, (_, row) =>
      make[name](Math.floor((first + row) / 10), (first + row) % 10)
    )
    return bytes(name, texts, 'tag')
  })
}

function bytes(name: string, texts: readonly string[], semantic: Semantic = 'field'): Column {
  return { name, type: 'String', semantic, data: encode(texts) }
}

function encode(texts: readonly string[]): BytesData {
  const whole = Buffer.from(texts.join(''))
  const offsets = new Uint32Array(texts.length + 1)
  texts.forEach((text, i) => {
    offsets[i + 1] = offsets[i]! + Buffer.byteLength(text)
  })
  return { kind: 'bytes', offsets, bytes: whole }
}

function fixed(
  name: string,
  type: ColumnType,
  values: Extract<ColumnData, { kind: 'fixed' }>['values'],
  semantic: Semantic = 'field'
): Column {
  return { name, type, semantic, data: { kind: 'fixed', values } }
}

function definition(name: string, type: ColumnType, semantic: Semantic = 'field'): ColumnDefinition {
  return { name, type, semantic, nullable: semantic !== 'timestamp' }
}
