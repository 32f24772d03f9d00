// Names of databases and tables as SQL writes them, looked up in the catalog by one rule.
import {
  type Database,
  DbError,
  didYouMean,
  type Store,
  systemDatabase,
  type Table,
  type View
} from '../../../core/index.ts'
import { unsupported } from '../error.ts'
import type { Name } from '../statement/cursor.ts'
import { quoteName } from '../text/token.ts'

export const catalogName = 'svc'

/** Databases every server shows although the catalog does not hold them. */
export const informationSchema = 'information_schema'

interface TableName {
  readonly database: string
  readonly table: Name
}

/** Takes a name of one to three parts apart; the request's database fills in. Throws `DatabaseNotFound`. */
export function resolveName(store: Store, db: string, parts: readonly Name[]): TableName {
  const table = parts.at(-1)!
  const catalog = parts.length === 3 ? parts[0]! : undefined
  if (catalog !== undefined && catalog.text !== catalogName) {
    throw new DbError(
      'DatabaseNotFound',
      `Database not found: ${parts
        .map(part => part.text)
        .slice(0, 2)
        .join('.')}`
    )
  }
  if (parts.length === 1) return { database: db, table }
  const written = parts.at(-2)!
  if (isInformationSchema(written)) return { database: informationSchema, table }
  return { database: findDatabase(store, written).name, table }
}

/** The same for a table or view that a statement makes or changes. Throws `Unsupported` for those of information_schema. */
export function resolveChanged(store: Store, db: string, parts: readonly Name[]): TableName {
  const found = resolveName(store, db, parts)
  if (found.database === informationSchema) throw readOnly()
  return found
}

export function readOnly(): DbError {
  return unsupported(`Schema \`${informationSchema}\` is read-only`)
}

export function isInformationSchema(name: Name): boolean {
  return name.text.toLowerCase() === informationSchema
}

/** The database of that name. Throws `DatabaseNotFound`, with the quoted form when only its case differs. */
export function findDatabase(store: Store, name: Name): Database {
  const found = store.database(name.text)
  if (found !== undefined) return found
  const names = store.databases().map(database => database.name)
  throw new DbError('DatabaseNotFound', `Database not found: ${name.text}${hint(name.text, names)}`)
}

/** The table of that name, undefined when there is none; throws when one exists that differs only in case. */
export function lookUpTable(store: Store, db: string, parts: readonly Name[]): Table | undefined {
  const { database, table } = resolveName(store, db, parts)
  const found = store.table(database, table.text)
  if (found !== undefined) return found
  const near = hint(
    table.text,
    store.tables(database).map(other => other.name)
  )
  if (near !== '') throw new DbError('TableNotFound', `Table not found: ${fullName(database, table.text)}${near}`)
  return undefined
}

/** The view of that name, undefined when there is none. */
export function lookUpView(store: Store, db: string, parts: readonly Name[]): View | undefined {
  const { database, table } = resolveName(store, db, parts)
  return store.view(database, table.text)
}

/** Tables, and views, a misspelled name is compared with: in a database of many thousands that would take too long. */
const comparedNames = 1000

/** The error for a table there is not; it names one that is spelled like it. */
export function noTable(store: Store, database: string, table: string, context = ''): DbError {
  const isSystem = database === systemDatabase
  const own = isSystem ? `: the server makes tables of ${systemDatabase} with their first rows` : ''
  const instead = own || nearTable(store, database, table)
  return new DbError('TableNotFound', `${context}Table not found: ${fullName(database, table)}${instead}`)
}

/** `, did you mean t?` */
export function nearTable(store: Store, database: string, table: string): string {
  const known = [...store.tables(database).slice(0, comparedNames), ...store.views(database).slice(0, comparedNames)]
  const others = known.map(({ name }) => name).filter(name => name !== table)
  return didYouMean(table, others)
}

/** `svc.public.t` */
export function fullName(database: string, table: string): string {
  return `${catalogName}.${database}.${table}`
}

/** What to write instead when a name differs only in case from one that exists. */
export function hint(name: string, names: readonly string[]): string {
  const folded = name.toLowerCase()
  const near = names.filter(other => other !== name && other.toLowerCase() === folded)
  return near.length === 0 ? '' : `; did you mean ${near.map(quoteName).join(' or ')} (quotes keep upper case)?`
}
