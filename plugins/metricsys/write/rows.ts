// Rows that are no plain samples, as columns: native histograms, exemplars and metadata.
import { bitmap, type Column, type ColumnType, type TableWrite } from '../../../core/index.ts'
import type { ExemplarRow, HistogramRow, MetricMetadata } from '../../services.ts'
import { exemplarTable, histogramColumn, metadataTable, timeColumn, valueColumn } from './columns.ts'
import { histogramJson } from './histogram.ts'

/** A write for each table. */
export function histogramWrites(rows: readonly HistogramRow[], physicalTable: string): TableWrite[] {
  const groups = Map.groupBy(rows, ({ name }) => [name.database, name.physicalTable, name.table].join('\0'))
  return Array.from(groups.values(), group => {
    const { table, database, physicalTable: own = physicalTable } = group[0]!.name
    const labels = new Set(group.flatMap(({ name }) => name.labels.map(label => label.name)))
    const columns = [
      ...Array.from(labels, label => labelColumn(label, group)),
      times(group),
      texts(
        histogramColumn,
        'Json',
        'field',
        group.map(({ histogram }) => histogramJson(histogram))
      )
    ].sort((a, b) => (a.name < b.name ? -1 : 1))
    return { ...inDatabase(database), table, rows: group.length, columns, options: { physical_table: own } }
  })
}

/** A write for each database. Exemplars of one series and time replace each other: senders repeat them. */
export function exemplarWrites(rows: readonly ExemplarRow[]): TableWrite[] {
  return Array.from(
    Map.groupBy(rows, ({ name }) => name.database),
    ([database, group]) => {
      const labelTexts = (key: string) => group.map(({ labels }) => textOf(labels.get(key)))
      const columns = [
        texts(
          'metric',
          'String',
          'tag',
          group.map(({ name }) => name.table)
        ),
        texts(
          'series',
          'String',
          'tag',
          group.map(({ name }) => labelsJson(name.labels))
        ),
        times(group),
        {
          name: valueColumn,
          type: 'Float64',
          semantic: 'field',
          data: { kind: 'fixed', values: Float64Array.from(group, row => row.value) }
        },
        texts(
          'labels',
          'Json',
          'field',
          group.map(row => labelsJson(Array.from(row.labels, ([name, value]) => ({ name, value }))))
        ),
        texts('trace_id', 'String', 'field', labelTexts('trace_id')),
        texts('span_id', 'String', 'field', labelTexts('span_id'))
      ] satisfies Column[]
      return { ...inDatabase(database), table: exemplarTable, rows: group.length, columns }
    }
  )
}

/** What is known of metrics, with the time it was told. */
export function metadataWrite(rows: readonly MetricMetadata[], now: number): TableWrite {
  const column = (name: 'metric' | 'type' | 'unit' | 'help') =>
    texts(
      name,
      'String',
      name === 'metric' ? 'tag' : 'field',
      rows.map(row => row[name])
    )
  const time = times(rows.map(() => ({ time: BigInt(now) })))
  return {
    table: metadataTable,
    rows: rows.length,
    columns: [column('metric'), time, column('type'), column('unit'), column('help')]
  }
}

function inDatabase(database: string | undefined): { readonly database?: string } {
  return database === undefined ? {} : { database }
}

function times(rows: readonly { readonly time: bigint }[]): Column {
  const values = BigInt64Array.from(rows, ({ time }) => time)
  return { name: timeColumn, type: 'TimestampMillisecond', semantic: 'timestamp', data: { kind: 'fixed', values } }
}

function labelColumn(label: string, rows: readonly HistogramRow[]): Column {
  const values = rows.map(({ name }) => name.labels.find(each => each.name === label)?.value)
  return bytes(label, 'String', 'tag', values)
}

function texts(
  name: string,
  type: ColumnType,
  semantic: Column['semantic'],
  values: readonly (string | undefined)[]
): Column {
  return bytes(
    name,
    type,
    semantic,
    values.map(value => (value === undefined ? undefined : Buffer.from(value)))
  )
}

function bytes(
  name: string,
  type: ColumnType,
  semantic: Column['semantic'],
  values: readonly (Uint8Array | undefined)[]
): Column {
  const offsets = new Uint32Array(values.length + 1)
  const valid = bitmap(values.length, false)
  for (const [i, value] of values.entries()) {
    offsets[i + 1] = offsets[i]! + (value?.length ?? 0)
    if (value !== undefined) valid[i >> 3]! |= 1 << (i & 7)
  }
  const all = Buffer.concat(values.filter(value => value !== undefined))
  return { name, type, semantic, data: { kind: 'bytes', offsets, bytes: all, valid } }
}

function textOf(value: Uint8Array | undefined): string | undefined {
  return value && Buffer.from(value).toString()
}

/** By name, so that equal series have equal texts. */
function labelsJson(labels: readonly { readonly name: string; readonly value: Uint8Array }[]): string {
  const sorted = labels.toSorted((a, b) => (a.name < b.name ? -1 : 1))
  return JSON.stringify(Object.fromEntries(sorted.map(({ name, value }) => [name, Buffer.from(value).toString()])))
}
