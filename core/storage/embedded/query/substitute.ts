// The text of a statement with the rows of tables where it names them.
import type { Table } from '../../../model/table.ts'
import type { Relation } from '../../engine.ts'
import { quoteName } from '../duckdb/index.ts'

/** Puts each table's rows where the statement names the table, from the last to the first so that offsets stay right. */
export function substitute(
  text: string,
  relations: readonly Relation[],
  rowsOf: (table: Table, relation: number) => string
): string {
  return relations.reduceRight((sql, { start, end, table, alias }, i) => {
    const rows = `(${rowsOf(table, i)})${alias === undefined ? '' : ` AS ${quoteName(alias)}`}`
    return sql.slice(0, start) + rows + sql.slice(end)
  }, text)
}
