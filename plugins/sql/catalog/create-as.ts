// CREATE TABLE … AS: a table with the columns of a query, and its rows.
import {
  type ColumnDefinition,
  isColumnType,
  isTimestamp,
  parseTableOptions,
  type ResultColumn
} from '../../../core/index.ts'
import { invalid } from '../error.ts'
import { queryColumns, runQuery, type Session } from '../session.ts'
import type { CreateTableAs } from '../statement/statement.ts'
import { writeAnswer } from '../write/stream.ts'
import { findTarget } from '../write/target.ts'
import { onExisting } from './change.ts'
import { resolveChanged } from './name.ts'

/** Returns the rows. A table that could not be filled does not stay. Without a primary key no row replaces another one. */
export async function createTableAs(session: Session, statement: CreateTableAs): Promise<number> {
  const { store, ctx } = session
  const { database, table: name } = resolveChanged(store, ctx.db, statement.name)
  if (statement.ifNotExists && store.table(database, name.text) !== undefined) return 0
  const columns = definitions(await queryColumns(session, statement.query.tokens), statement)
  const options = parseTableOptions({
    ...(statement.primaryKey.length === 0 && { append_mode: 'true' }),
    ...statement.options
  })
  const definition = { database, name: name.text, columns, options }
  if (!(await store.createTable(ctx, definition, onExisting(statement)))) return 0
  const table = findTarget(session, statement.name)
  try {
    const answer = await runQuery(session, statement.query.tokens)
    return await writeAnswer(session, table, table.columns, answer)
  } catch (error) {
    await store.dropTable(ctx, table)
    throw error
  }
}

/** The columns of a query as those of a table. */
export function definitions(
  found: readonly ResultColumn[],
  { primaryKey, timeIndex }: Pick<CreateTableAs, 'primaryKey' | 'timeIndex'>
): ColumnDefinition[] {
  const times = found.filter(({ type }) => isTimestamp(type)).map(({ name }) => name)
  const time = timeIndex ?? (times.length === 1 ? times[0] : undefined)
  if (time === undefined) {
    const which = times.length === 0 ? 'no column of times' : `several columns of times (${times.join(', ')})`
    throw invalid(`the query has ${which}: say which is the time index, as in CREATE TABLE t (TIME INDEX (ts)) AS …`)
  }
  const absent = [time, ...primaryKey].find(name => !found.some(column => column.name === name))
  if (absent !== undefined) throw invalid(`the query has no column ${absent}`)
  return found.map(({ name, type }) => {
    if (!isColumnType(type)) {
      throw invalid(`column ${name} is of type ${type}, which no table has: cast it`)
    }
    const semantic = name === time ? 'timestamp' : primaryKey.includes(name) ? 'tag' : 'field'
    return { name, type, semantic, nullable: semantic !== 'timestamp' }
  })
}
