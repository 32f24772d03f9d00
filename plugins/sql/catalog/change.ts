// Statements that change the catalog: CREATE and DROP of tables and databases.
import { DbError, parseTableOptions, type Table } from '../../../core/index.ts'
import type { Session } from '../session.ts'
import type { CreateTable, Statement } from '../statement/statement.ts'
import { checkDefault } from '../write/default-value.ts'
import { findDatabase, fullName, informationSchema, isInformationSchema, lookUpTable, resolveName } from './name.ts'

type Of<K extends Statement['kind']> = Extract<Statement, { kind: K }>

/** Returns the affected rows: none. */
export async function createTable({ store, ctx }: Session, statement: CreateTable): Promise<number> {
  const { database, table } = resolveName(store, ctx.db, statement.name)
  if (database === informationSchema) throw readOnly()
  const options = parseTableOptions(statement.options)
  statement.columns.forEach(checkDefault)
  if (statement.ifNotExists && store.table(database, table.text) !== undefined) return 0
  await store.createTable(ctx, { database, name: table.text, columns: statement.columns, options })
  return 0
}

/** Returns the affected rows: one, also when it was there already. */
export async function createDatabase({ store, ctx }: Session, statement: Of<'create_database'>): Promise<number> {
  const options = parseTableOptions(statement.options)
  if (options.ttl === 'instant') throw new DbError('InvalidArguments', 'ttl instant is for tables, not for databases')
  const exists = store.database(statement.name) !== undefined || statement.name === informationSchema
  if (exists && !statement.ifNotExists) {
    throw new DbError('InvalidArguments', `Schema ${statement.name} already exists`)
  }
  if (!exists) await store.createDatabase(ctx, statement.name, options)
  return 1
}

/** All tables are looked up before the first is dropped. */
export async function dropTables({ store, ctx }: Session, statement: Of<'drop_table'>): Promise<number> {
  const tables: Table[] = []
  for (const name of statement.names) {
    const { database, table } = resolveName(store, ctx.db, name)
    if (database === informationSchema) throw readOnly()
    const found = lookUpTable(store, ctx.db, name)
    if (found !== undefined) tables.push(found)
    else if (!statement.ifExists) {
      throw new DbError('TableNotFound', `Table not found: ${fullName(database, table.text)}`)
    }
  }
  for (const table of new Set(tables)) await store.dropTable(ctx, table)
  return 0
}

export async function dropDatabase({ store, ctx }: Session, statement: Of<'drop_database'>): Promise<number> {
  if (isInformationSchema(statement.name)) throw readOnly()
  const { text } = statement.name
  if (store.database(text) === undefined) {
    if (statement.ifExists) return 0
    throw new DbError('InvalidArguments', `Failed to find schema, schema info: ${text}`)
  }
  await store.dropDatabase(ctx, findDatabase(store, statement.name).name)
  return 0
}

function readOnly(): DbError {
  return new DbError('Unsupported', `Schema \`${informationSchema}\` is read-only`)
}
