// The tables of information_schema as expressions that a query can read.
import { DbError, mapPaced, type Pace, runPaced } from '../../../../core/index.ts'
import { catalogName, informationSchema } from '../name.ts'
import { catalogTables } from './catalog.ts'
import { columnsTable } from './columns.ts'
import { emptyTables } from './empty.ts'
import { flowsTable } from './flows.ts'
import { keyTables } from './keys.ts'
import { regionTables } from './regions.ts'
import { serverTables } from './server.ts'
import type { InformationTable, Row, Sources } from './table.ts'

const described: Readonly<Record<string, InformationTable>> = {
  ...catalogTables,
  ...keyTables,
  ...regionTables,
  ...serverTables,
  ...emptyTables,
  columns: columnsTable,
  flows: flowsTable
}

export const informationTableNames: readonly string[] = Object.keys(described).sort()

/** Names itself, too. */
export const informationTables: Readonly<Record<string, InformationTable>> = {
  ...described,
  tables: {
    columns: catalogTables.tables!.columns,
    rows: async (sources, pace) => [
      ...(await catalogTables.tables!.rows(sources, pace)),
      ...informationTableNames.map(ownRow)
    ]
  }
}

function ownRow(name: string): Row {
  return {
    table_catalog: catalogName,
    table_schema: informationSchema,
    table_name: name,
    table_type: 'LOCAL TEMPORARY',
    version: 11,
    temporary: 'Y'
  }
}

/** Names of the columns of one of its tables, with the engine's types; none where there is no such table. */
export function informationColumns(name: string): InformationTable['columns'] {
  return Object.hasOwn(informationTables, name) ? informationTables[name]!.columns : []
}

/** The rows of one of its tables as a SQL expression. Throws `TableNotFound` naming those there are. */
export async function informationTable(sources: Sources, name: string, pace: Pace): Promise<string> {
  const table = Object.hasOwn(informationTables, name) ? informationTables[name]! : undefined
  if (table === undefined) {
    const known = Object.keys(informationTables).sort().join(', ')
    throw new DbError('TableNotFound', `Table not found: ${catalogName}.${informationSchema}.${name}; it has ${known}`)
  }
  const rows = await table.rows(sources, pace)
  const lists = await mapPaced(pace, table.columns, ([column]) => rows.map(row => textOf(row[column])))
  return runPaced(pace, sources.store.dialect.rows(table.columns, lists))
}

/** A cell as `Dialect.rows` takes it. */
export function textOf(cell: unknown): string | null {
  return cell === null || cell === undefined ? null : String(cell)
}
