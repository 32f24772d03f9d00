// Which filters the files of a table should have, from the index hints of its columns.
import type { ColumnIndex, Table, TableColumn } from '../../../model/table.ts'
import { isLogical, isPhysical } from '../../logical.ts'
import { hasSeries } from '../catalog/logical.ts'
import { usualGroup as maxRows } from '../datafile/row-group.ts'
import type { SectionKind } from './format.ts'
import { groupColumn } from './group-column.ts'

export interface SectionSpec {
  readonly column: TableColumn
  readonly kind: SectionKind
  readonly falsePositiveRate: number
}

/** Where an index has no such option of its own. */
const usualRate = 0.01
const usualGroup = 10_240

/** Rows DuckDB handles at once. */
const vectorRows = 2048

/** Row groups hold so many times the rows their indexes ask for: DuckDB takes longer to open one of 10,240 rows than to read as many more. */
const granulesPerGroup = 2

/** Rows with the number of the row group they are written to, as long as the writer keeps their order; readers rely on the number alone. */
export function numbered(rows: string, perGroup: number): string {
  return `SELECT *, ((row_number() OVER () - 1) // ${perGroup})::UINTEGER AS ${groupColumn} FROM (${rows})`
}

/** The filters and counts that the index sidecars of a table should hold. */
export interface IndexSpec {
  readonly sections: readonly SectionSpec[]
  /** Whose values are counted; absent: of tables with series nothing is. */
  readonly counted?: { readonly time: TableColumn; readonly columns: readonly TableColumn[] }
}

export function indexSpecOf(table: Table): IndexSpec {
  const sections = sectionSpecs(table)
  if (hasSeries(table) || isPhysical(table) || isLogical(table)) return { sections }
  const columns = table.columns.filter(({ type }) => isCountable(type))
  return { sections, counted: { time: table.timeIndex, columns } }
}

/** Whether the files of a table have index sidecars. */
export function isIndexed(table: Table): boolean {
  const { sections, counted } = indexSpecOf(table)
  return sections.length > 0 || counted !== undefined
}

/** Whether the values of a column of this type are counted, where there are few of them. */
export function isCountable(type: string): boolean {
  return type === 'String' || type === 'Boolean' || (isInteger(type) && type !== 'UInt64')
}

/** Columns with an index this engine can make. Rows of a metric table belong to many tables: it has none. */
function sectionSpecs(table: Table): readonly SectionSpec[] {
  if (isPhysical(table) || isLogical(table)) return []
  return table.columns.flatMap(column => {
    const kind = column.index && sectionKind(column, column.index)
    if (kind === undefined) return []
    return [{ column, kind, falsePositiveRate: Number(column.index?.options['false_positive_rate'] ?? usualRate) }]
  })
}

function sectionKind({ type }: TableColumn, { kind, options }: ColumnIndex): SectionKind | undefined {
  if (kind === 'fulltext') return options['case_sensitive'] === 'true' ? 'terms' : 'folded_terms'
  return type === 'String' || isInteger(type) ? 'values' : undefined
}

/** Values of these types are equal when their texts are. */
function isInteger(type: string): boolean {
  return /^U?Int\d+$/.test(type)
}

/** Rows per row group of a table with indexes, which rule out whole groups; undefined for a table without. */
export function rowsPerGroup(table: Table): number | undefined {
  const sections = sectionSpecs(table)
  if (sections.length === 0) return undefined
  const finest = Math.min(...sections.map(({ column }) => Number(column.index?.options['granularity'] ?? usualGroup)))
  const rows = finest * granulesPerGroup
  return Math.min(Math.max(Math.ceil(rows / vectorRows) * vectorRows, vectorRows), maxRows)
}
