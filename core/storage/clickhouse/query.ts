// Queries for rows of a table, and the settings of all queries.
import { DbError } from '../../errors.ts'
import type { ResultColumn } from '../../model/batch.ts'
import type { Table, TableColumn } from '../../model/table.ts'
import type { ResultType } from '../../model/types.ts'
import type { QueryResult, ScanQuery } from '../engine.ts'
import type { ClusterCatalog } from './catalog.ts'
import type { Connection, Reading } from './connection.ts'
import type { Location } from './definition.ts'
import type { KnownLabels } from './labels.ts'
import { quoteName } from './names.ts'
import { relation } from './relation.ts'

export interface QueryDependencies {
  readonly connection: Connection
  readonly catalog: ClusterCatalog
  readonly location: Location
  readonly labels: KnownLabels
  /** Time limit of a query in milliseconds. */
  readonly timeout: number
}

/** Settings of all queries: read-only, 64-bit integers and JSON without conversion. */
export function querySettings({ timeout, location }: QueryDependencies, timezone = 'UTC') {
  return {
    readonly: 2,
    session_timezone: timezone,
    max_execution_time: Math.ceil(timeout / 1000),
    output_format_native_write_json_as_string: 1,
    transform_null_in: 1,
    // Statements may contain many versions and series numbers.
    max_query_size: 2 ** 24,
    ...(location.cluster !== '' && { distributed_product_mode: 'local', select_sequential_consistency: 1 })
  }
}

export async function scan(parts: QueryDependencies, query: ScanQuery, signal: AbortSignal): Promise<QueryResult> {
  const { connection, catalog } = parts
  const table = catalog.current(query.table)
  const columns = query.columns.map(name => requireColumn(table, query.table, name))
  const list = columns.map(({ physical }, i) => `${quoteName(physical)} AS __${i}`)
  const text = `SELECT ${list.length === 0 ? '1 AS __0' : list.join(', ')} FROM ${relation(parts, table, query)}`
  const types = new Map<string, ResultType>(columns.map(({ type }, i) => [`__${i}`, type]))
  const reading = await connection.read(text, { signal, settings: querySettings(parts), types })
  return resultOf(
    reading,
    columns.map(({ name, type }) => ({ name, type }))
  )
}

function requireColumn(now: Table, then: Table, name: string): TableColumn {
  const known = then.columns.find(column => column.name === name)
  const column = now.columns.find(column => column.name === name)
  if (column !== undefined && (known === undefined || known.id === column.id)) return column
  throw new DbError('RequestOutdated', `column ${name} of table ${now.name} was changed meanwhile`)
}

export function resultOf(reading: Reading, columns: readonly ResultColumn[] = reading.columns): QueryResult {
  return { columns, batches: () => reading.batches(), close: () => reading.close() }
}
