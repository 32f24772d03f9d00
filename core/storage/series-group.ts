// The table that new series of a write need: what it must have, said in the words of the table where it exists already.
import type { Column, TableWrite } from '../model/batch.ts'
import type { SeriesLabel, SeriesName, SeriesWrite } from '../model/series.ts'
import type { Table, TableColumn, TableOptions } from '../model/table.ts'

interface NamedSeries {
  /** Which key. */
  readonly index: number
  readonly labels: readonly SeriesLabel[]
}

/** New series of one table. */
export class SeriesGroup {
  readonly database: string
  readonly name: string
  readonly physicalTable: string
  /** Undefined until it is made. */
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
    // Series of a table mostly have the same labels in the same order.
    const before = this.series.at(-1)?.labels
    this.series.push(series)
    series.labels.forEach(({ name }, i) => {
      if (name !== before?.[i]?.name) this.labels.add(name)
    })
  }
}

/** The column of a table for the numbers: the one of this name, or its only field if that holds numbers. */
export function numberColumn(table: Table, name: string): TableColumn | undefined {
  const fields = table.columns.filter(column => column.semantic === 'field')
  const only = fields.length === 1 && /^(Float|U?Int)/.test(fields[0]!.type) ? fields[0] : undefined
  return fields.find(column => column.name === name) ?? only
}

/** A write without rows that has all columns, for the rules that make and widen tables. New tables have theirs in order of the names. */
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
