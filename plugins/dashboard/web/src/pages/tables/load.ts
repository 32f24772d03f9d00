// Loads the list of tables and their facts.
import { columnsOf, type TableColumn } from '../../api/catalog.ts'
import { quoteName, quoteText, rowsOf } from '../../api/sql.ts'
import { formatTime, readTicks } from '../../time.ts'

export interface TableRow {
  readonly name: string
  /** `table`, `metric` of a physical table, or `view`. */
  readonly kind: string
  /** Null where several tables share them. */
  readonly rows: number | null
  readonly bytes: number | null
  readonly files: number | null
  /** The table whose files hold its rows, where that is another one. */
  readonly sharedWith: string | undefined
}

interface Row {
  readonly table_name: string
  readonly table_type: string
  readonly engine: string | null
  readonly create_options: string | null
  readonly region_rows: number | null
  readonly disk_size: number | null
  readonly sst_num: number | null
}

export async function loadTables(db: string, signal: AbortSignal): Promise<TableRow[]> {
  const rows = await rowsOf<Row>(
    `SELECT t.table_name, t.table_type, t.engine, t.create_options, s.region_rows, s.disk_size, s.sst_num
     FROM information_schema.tables t LEFT JOIN information_schema.region_statistics s ON s.table_id = t.table_id
     WHERE t.table_schema = ${quoteText(db)} ORDER BY t.table_name`,
    { signal }
  )
  return rows.map(row => {
    const sharedWith = /\bphysical_table='([^']*)'/.exec(row.create_options ?? '')?.[1]
    const own = <T>(value: T) => (sharedWith === undefined ? value : null)
    return {
      name: row.table_name,
      kind: row.table_type === 'VIEW' ? 'view' : row.engine === 'metric' ? 'metric' : 'table',
      rows: own(row.region_rows),
      bytes: own(row.disk_size),
      files: own(row.sst_num),
      sharedWith
    }
  })
}

export interface Details {
  readonly columns: readonly TableColumn[]
  /** The statement that makes it again. */
  readonly ddl: string
  readonly oldest: string | undefined
  readonly newest: string | undefined
  readonly retention: string
}

export async function loadDetails(db: string, name: string, signal: AbortSignal): Promise<Details> {
  const columns = (await columnsOf(db)).filter(({ table }) => table === name)
  const time = columns.find(({ semantic }) => semantic === 'TIMESTAMP')
  const [made] = await rowsOf<Record<string, string>>(`SHOW CREATE TABLE ${quoteName(name)}`, { signal })
  const ddl = Object.values(made ?? {}).at(-1) ?? ''
  const [ends] =
    time === undefined
      ? []
      : await rowsOf<{ oldest: number | null; newest: number | null }>(
          `SELECT min(${quoteName(time.name)}) AS oldest, max(${quoteName(time.name)}) AS newest FROM ${quoteName(name)}`,
          { signal }
        )
  const at = (ticks: number | null | undefined) =>
    ticks === null || ticks === undefined ? undefined : formatTime(readTicks(ticks, time!.type))
  return {
    columns,
    ddl,
    oldest: at(ends?.oldest),
    newest: at(ends?.newest),
    retention: /\bttl\s*=\s*'([^']+)'/i.exec(ddl)?.[1] ?? 'forever, unless the database says otherwise'
  }
}
