// The tables metrics are kept in: their names, and native histograms, exemplars and metadata as their columns.
import {
  bitmap,
  type Column,
  type ColumnType,
  endsStep,
  type SeriesLabel,
  type SeriesName,
  type Steps,
  type TableWrite,
  timeColumn,
  valueColumn
} from '../../../core/index.ts'
import type { ExemplarRow, HistogramRow, MetricMetadata } from '../../services.ts'
import { histogramJson } from './histogram.ts'

export const histogramColumn = 'svc_native_histogram'
/** The physical table of metrics that name no other. */
export const defaultPhysicalTable = 'svc_physical_table'
export const exemplarTable = 'svc_exemplars'
export const metadataTable = 'svc_metric_metadata'

/** Rows handled between two yields to other requests. */
const stepRows = 64

/** Native histograms as one write per table. */
export function* histogramWrites(rows: readonly HistogramRow[], physicalTable: string): Steps<TableWrite[]> {
  const groups = yield* grouped(rows, ({ name }) => [name.database, name.physicalTable, name.table].join('\0'))
  const writes: TableWrite[] = []
  for (const group of groups) {
    const { table, database, physicalTable: own = physicalTable } = group[0]!.name
    const labels = new Set<string>()
    for (const [i, { name }] of group.entries()) {
      for (const label of name.labels) labels.add(label.name)
      if (endsStep(i, stepRows)) yield
    }
    const columns: Column[] = [times(group)]
    for (const label of labels) {
      const read = ({ name }: HistogramRow) => name.labels.find(each => each.name === label)?.value
      columns.push(yield* bytes(label, 'String', 'tag', group, read))
    }
    columns.push(yield* bytes(histogramColumn, 'Json', 'field', group, row => histogramJson(row.histogram)))
    columns.sort((a, b) => (a.name < b.name ? -1 : 1))
    writes.push({ ...inDatabase(database), table, rows: group.length, columns, options: { physical_table: own } })
  }
  return writes
}

/** Exemplars as one write per database. Those of the same series and time replace each other, because senders repeat them. */
export function* exemplarWrites(rows: readonly ExemplarRow[]): Steps<TableWrite[]> {
  const writes: TableWrite[] = []
  for (const group of yield* grouped(rows, ({ name }) => name.database)) {
    const values = Float64Array.from(group, row => row.value)
    const labels = ({ labels }: ExemplarRow) => labelsJson(Array.from(labels, ([name, value]) => ({ name, value })))
    const columns: Column[] = [
      yield* bytes('metric', 'String', 'tag', group, ({ name }) => name.table),
      yield* bytes('series', 'String', 'tag', group, ({ name }) => labelsJson(name.labels)),
      times(group),
      { name: valueColumn, type: 'Float64', semantic: 'field', data: { kind: 'fixed', values } },
      yield* bytes('labels', 'Json', 'field', group, labels),
      yield* bytes('trace_id', 'String', 'field', group, row => row.labels.get('trace_id')),
      yield* bytes('span_id', 'String', 'field', group, row => row.labels.get('span_id'))
    ]
    writes.push({ ...inDatabase(group[0]!.name.database), table: exemplarTable, rows: group.length, columns })
  }
  return writes
}

/** The series that an exemplar belongs to. */
export function exemplarTags({ table, labels }: SeriesName): readonly SeriesLabel[] {
  const tags = { metric: table, series: labelsJson(labels) }
  return Object.entries(tags).map(([name, value]) => ({ name, value: Buffer.from(value) }))
}

/** Metadata of metrics with the time of the request. */
export function* metadataWrite(rows: readonly MetricMetadata[], now: number): Steps<TableWrite> {
  const column = (name: 'metric' | 'type' | 'unit' | 'help') =>
    bytes(name, 'String', name === 'metric' ? 'tag' : 'field', rows, row => row[name])
  const time = times(rows.map(() => ({ time: BigInt(now) })))
  const columns = [yield* column('metric'), time, yield* column('type'), yield* column('unit'), yield* column('help')]
  return { table: metadataTable, rows: rows.length, columns }
}

/** Groups rows by key. */
function* grouped<T>(rows: readonly T[], keyOf: (row: T) => string | undefined): Steps<readonly T[][]> {
  const groups = new Map<string | undefined, T[]>()
  for (const [i, row] of rows.entries()) {
    const key = keyOf(row)
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [row])
    else group.push(row)
    if (endsStep(i, stepRows)) yield
  }
  return [...groups.values()]
}

function inDatabase(database: string | undefined): { readonly database?: string } {
  return database === undefined ? {} : { database }
}

function times(rows: readonly { readonly time: bigint }[]): Column {
  const values = BigInt64Array.from(rows, ({ time }) => time)
  return { name: timeColumn, type: 'TimestampMillisecond', semantic: 'timestamp', data: { kind: 'fixed', values } }
}

/** A text column from strings or their UTF-8. */
function* bytes<T>(
  name: string,
  type: ColumnType,
  semantic: Column['semantic'],
  rows: readonly T[],
  read: (row: T) => Uint8Array | string | undefined
): Steps<Column> {
  const offsets = new Uint32Array(rows.length + 1)
  const valid = bitmap(rows.length, false)
  let all = Buffer.allocUnsafe(1024)
  for (let i = 0; i < rows.length; i++) {
    const value = read(rows[i]!)
    const own = typeof value === 'string' ? Buffer.from(value) : value
    const at = offsets[i]!
    const end = at + (own?.length ?? 0)
    if (end > all.length) {
      const grown = Buffer.allocUnsafe(end * 2)
      all.copy(grown, 0, 0, at)
      all = grown
    }
    offsets[i + 1] = end
    if (own !== undefined) {
      all.set(own, at)
      valid[i >> 3]! |= 1 << (i & 7)
    }
    if (endsStep(i, stepRows)) yield
  }
  return { name, type, semantic, data: { kind: 'bytes', offsets, bytes: all.subarray(0, offsets.at(-1)), valid } }
}

/** Labels as JSON sorted by name, so that equal series have equal texts. */
function labelsJson(labels: readonly { readonly name: string; readonly value: Uint8Array }[]): string {
  const sorted = labels.toSorted((a, b) => (a.name < b.name ? -1 : 1))
  return JSON.stringify(Object.fromEntries(sorted.map(({ name, value }) => [name, Buffer.from(value).toString()])))
}
