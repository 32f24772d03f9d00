// The visible rows of a table as one SQL expression over its files and memtables.
import type { Table } from '../../model/table.ts'
import type { DataFile } from './catalog-rows.ts'
import { quoteName } from './duckdb/index.ts'
import type { Memtable } from './memtable.ts'
import { mergeVersions } from './merge.ts'
import { fileRows, memtableRows, missing } from './source.ts'

/** What a query reads, fixed when it starts. */
export interface Snapshot {
  readonly table: Table
  readonly files: readonly DataFile[]
  readonly memtables: readonly Memtable[]
  /** DuckDB table with the tags of the series. */
  readonly series: string
  readonly dataDir: string
  /** Rows before it (in the time index's unit) are past their time to live. */
  readonly cutoff: bigint | undefined
}

/** `SELECT …` of every visible row with the table's columns under their physical names. */
export function relation(snapshot: Snapshot): string {
  const { table, series, dataDir, cutoff } = snapshot
  const memtables = snapshot.memtables.filter(memtable => memtable.ready)
  const files = snapshot.files.filter(file => cutoff === undefined || file.maxTime >= cutoff)
  const inMemory = memtables.map(memtable => memtableRows(table, memtable, memtable.name, series, cutoff))
  const { alone, versioned } = table.options.append_mode
    ? { alone: files, versioned: [] }
    : splitByOverlap(files, memtables)
  const direct = fileRows(table, alone, dataDir, cutoff)
  const mixed = [...fileRows(table, versioned, dataDir, cutoff), ...inMemory]
  const merged = mixed.length === 0 ? [] : [mergeVersions(table, mixed.join(' UNION ALL '), { keepDeletes: false })]
  const parts = [...direct, ...merged]
  if (parts.length === 0) return `SELECT ${table.columns.map(missing).join(', ')} WHERE false`
  const names = table.columns.map(column => quoteName(column.physical)).join(', ')
  return parts.map(part => `SELECT ${names} FROM (${part})`).join(' UNION ALL ')
}

interface Span {
  readonly minTime: bigint
  readonly maxTime: bigint
}

/** Files in which every row is the only version of itself, and those whose times meet another file's or a memtable's. */
export function splitByOverlap(
  files: readonly DataFile[],
  memtables: readonly Span[]
): { readonly alone: readonly DataFile[]; readonly versioned: readonly DataFile[] } {
  const versioned = new Set<DataFile>(files.filter(file => file.deletes))
  const spans: (Span & { readonly file?: DataFile })[] = [
    ...files.map(file => ({ minTime: file.minTime, maxTime: file.maxTime, file })),
    ...memtables.map(({ minTime, maxTime }) => ({ minTime, maxTime }))
  ].sort((a, b) => (a.minTime < b.minTime ? -1 : a.minTime > b.minTime ? 1 : 0))
  let reaching: (typeof spans)[number] | undefined
  for (const span of spans) {
    if (reaching !== undefined && span.minTime <= reaching.maxTime) {
      if (reaching.file) versioned.add(reaching.file)
      if (span.file) versioned.add(span.file)
    }
    if (reaching === undefined || span.maxTime > reaching.maxTime) reaching = span
  }
  return { alone: files.filter(file => !versioned.has(file)), versioned: [...versioned] }
}

/** Whether two spans share a point in time. */
export function meets(a: Span, b: Span): boolean {
  return a.minTime <= b.maxTime && b.minTime <= a.maxTime
}
