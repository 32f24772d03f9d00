// The table that new series of a write need: its columns, under the names the existing table uses.
import type { Column, TableWrite } from '../model/batch.ts'
import type { SeriesLabel, SeriesName, SeriesWrite } from '../model/series.ts'
import type { Table, TableColumn, TableOptions } from '../model/table.ts'

interface NamedSeries {
  /** Index of the key. */
  readonly index: number
  readonly labels: readonly SeriesLabel[]
}

/** New series of one table. */
export class SeriesGroup {
  readonly database: string
  readonly name: string
  readonly physicalTable: string
  /** Undefined until it is created. */
  table: Table | undefined
  readonly series: NamedSeries[] = []
  readonly labels = new Set<string>()

  constructor(database: string, name: SeriesName, write: SeriesWrite, table: Table | undefined) {
    this.database = database
    this.name = name.table
    this.physicalTable = name.physicalTable ?? write.physicalTable
    this.table = table
  }

  add(series: NamedSeries): void {
    // Most series of a table have the same labels in the same order, so the check is skipped then.
    const before = this.series.at(-1)?.labels
    this.series.push(series)
    series.labels.forEach(({ name }, i) => {
      if (name !== before?.[i]?.name) this.labels.add(name)
    })
  }
}

/** The column that takes the samples' values: the one of this name, or the table's only field if it is a number. */
export function numberColumn(table: Table, name: string): TableColumn | undefined {
  const fields = table.columns.filter(column => column.semantic === 'field')
  const only = fields.length === 1 && /^(Float|U?Int)/.test(fields[0]!.type) ? fields[0] : undefined
  return fields.find(column => column.name === name) ?? only
}

/** A write without rows that has all columns, for the rules that create and widen tables. New tables have their tags sorted by name. */
export function groupSchema(group: SeriesGroup, write: SeriesWrite, options: TableOptions): TableWrite {
  const { table, name, labels, physicalTable } = group
  const value = table && numberColumn(table, write.valueColumn)
  const columns: Column[] = [
    ...Array.from(labels, label => empty(label, 'String', 'tag')),
    empty(table?.timeIndex.name ?? write.timeColumn, table?.timeIndex.type ?? 'TimestampMillisecond', 'timestamp'),
    empty(value?.name ?? write.valueColumn, value?.type ?? 'Float64', 'field')
  ]
  columns.sort((a, b) => (a.name < b.name ? -1 : 1))
  return { table: name, rows: 0, columns, options: { ...options, physical_table: physicalTable } }
}

function empty(name: string, type: Column['type'], semantic: Column['semantic']): Column {
  const data =
    semantic === 'tag'
      ? { kind: 'bytes' as const, offsets: new Uint32Array(1), bytes: new Uint8Array() }
      : { kind: 'fixed' as const, values: new Float64Array() }
  return { name, type, semantic, data }
}
