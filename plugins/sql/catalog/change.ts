// Statements that change the catalog: CREATE and DROP of tables and databases.
import { type DbError, parseTableOptions, type Table, type TableColumn } from '../../../core/index.ts'
import { invalid } from '../error.ts'
import { type Session, zoneOf } from '../session.ts'
import type { CreateTable, CreateTableLike, Statement } from '../statement/statement.ts'
import { resolveDefault } from '../write/default-value.ts'
import { findTarget, requireColumn } from '../write/target.ts'
import {
  findDatabase,
  fullName,
  informationSchema,
  isInformationSchema,
  lookUpTable,
  noTable,
  readOnly,
  resolveChanged
} from './name.ts'

type Of<K extends Statement['kind']> = Extract<Statement, { kind: K }>

/** Returns the affected rows: none. */
export async function createTable(session: Session, statement: CreateTable): Promise<number> {
  const { store, ctx } = session
  const { database, table } = resolveChanged(store, ctx.db, statement.name)
  const options = parseTableOptions(statement.options)
  const columns = statement.columns.map(column => resolveDefault(column, zoneOf(session)))
  await store.createTable(ctx, { database, name: table.text, columns, options }, onExisting(statement))
  return 0
}

/** The columns and options of another table, without its rows. */
export async function createTableLike({ store, ctx }: Session, statement: CreateTableLike): Promise<number> {
  const { database, table } = resolveChanged(store, ctx.db, statement.name)
  const { columns, options } = findTarget({ store, ctx }, statement.like)
  const definition = { database, name: table.text, columns: columns.map(definitionOf), options }
  await store.createTable(ctx, definition, onExisting(statement))
  return 0
}

/** A column of a table as one of another table may be defined. */
export function definitionOf({ id: _id, physical: _physical, stored: _stored, was: _was, ...column }: TableColumn) {
  return column
}

/** Sets and unsets options; they act on the tables that are there, as far as those do not set their own. */
export async function alterDatabase({ store, ctx }: Session, statement: Of<'alter_database'>): Promise<number> {
  if (isInformationSchema(statement.name)) throw readOnly()
  const { name, options } = findDatabase(store, statement.name)
  const set = parseTableOptions(statement.options)
  if (set.ttl === 'instant') throw instantDatabase()
  const keys = [...Object.keys(set), ...statement.unset.map(key => key.toLowerCase())]
  const fixed = keys.find(key => key !== 'ttl' && key !== 'comment')
  if (fixed !== undefined) {
    throw invalid(`database option ${fixed} cannot be changed, only ttl and comment can`)
  }
  const kept = Object.fromEntries(Object.entries(options).filter(([key]) => !keys.includes(key)))
  await store.changeDatabase(ctx, name, { ...kept, ...set })
  return 0
}

export async function truncate(session: Session, statement: Of<'truncate'>): Promise<number> {
  await session.store.changeTable(session.ctx, findTarget(session, statement.name), { kind: 'truncate' })
  return 0
}

/** Comments of tables are options, those of columns part of their definition. */
export async function comment(session: Session, { table: name, column, text }: Of<'comment'>): Promise<number> {
  const { store, ctx } = session
  const table = findTarget(session, name)
  if (column === undefined) {
    const set = text === undefined ? { options: {}, unset: ['comment'] as const } : { options: { comment: text } }
    await store.changeTable(ctx, table, { kind: 'set_options', ...set })
    return 0
  }
  const { comment: _, ...definition } = requireColumn(table, column)
  const changed = text === undefined ? definition : { ...definition, comment: text }
  await store.changeTable(ctx, table, { kind: 'modify_column', name: definition.name, definition: changed })
  return 0
}

/** Returns the affected rows: one, also when it was there already. */
export async function createDatabase({ store, ctx }: Session, statement: Of<'create_database'>): Promise<number> {
  const options = parseTableOptions(statement.options)
  if (options.ttl === 'instant') throw instantDatabase()
  if (statement.name !== informationSchema) {
    await store.createDatabase(ctx, statement.name, options, onExisting(statement))
  } else if (!statement.ifNotExists) {
    throw invalid(`Schema ${informationSchema} already exists`)
  }
  return 1
}

/** All tables are looked up before the first is dropped. */
export async function dropTables({ store, ctx }: Session, statement: Of<'drop_table'>): Promise<number> {
  const tables = new Map<Table, () => DbError>()
  for (const name of statement.names) {
    const { database, table } = resolveChanged(store, ctx.db, name)
    if (store.view(database, table.text) !== undefined) {
      throw invalid(`${fullName(database, table.text)} is a view: use DROP VIEW`)
    }
    const found = lookUpTable(store, ctx.db, name)
    const missing = () => noTable(store, database, table.text)
    if (found !== undefined) tables.set(found, missing)
    else if (!statement.ifExists) throw missing()
  }
  for (const [table, missing] of tables) {
    if (!(await store.dropTable(ctx, table)) && !statement.ifExists) throw missing()
  }
  return 0
}

export async function dropDatabase({ store, ctx }: Session, statement: Of<'drop_database'>): Promise<number> {
  if (isInformationSchema(statement.name)) throw readOnly()
  const { text } = statement.name
  const found = store.database(text) !== undefined
  const dropped = found && (await store.dropDatabase(ctx, findDatabase(store, statement.name).name))
  if (!dropped && !statement.ifExists) {
    throw invalid(`Failed to find schema, schema info: ${text}`)
  }
  return 0
}

/** With IF NOT EXISTS an existing one is kept, without it the statement is refused. */
export function onExisting({ ifNotExists }: { readonly ifNotExists: boolean }): 'keep' | 'refuse' {
  return ifNotExists ? 'keep' : 'refuse'
}

function instantDatabase(): DbError {
  return invalid('ttl instant is for tables, not for databases')
}
