// Tables and databases as the statements that would create them.
import {
  type ColumnIndex,
  type Database,
  sqlTypeName,
  type Table,
  type TableColumn,
  type TableOptions,
  type View
} from '../../../core/index.ts'
import { quoteName, quoteText } from '../text/token.ts'

/** `CREATE TABLE IF NOT EXISTS …` */
export function createTableText(table: Table, database: Database | undefined): string {
  const keys = table.tags.map(tag => quoteName(tag.name))
  const lines = [
    ...table.columns.map(columnText),
    `TIME INDEX (${quoteName(table.timeIndex.name)})`,
    ...(keys.length > 0 ? [`PRIMARY KEY (${keys.join(', ')})`] : [])
  ]
  const ttl = table.options.ttl ?? database?.options.ttl
  const options = ddlOptions({ ...table.options, ...(ttl !== undefined && { ttl }) })
  const engine = table.options.physical_table === undefined ? 'embedded' : 'metric'
  const body = lines.map(line => `  ${line}`).join(',\n')
  return `CREATE TABLE IF NOT EXISTS ${quoteName(table.name)} (\n${body}\n)\n\nENGINE=${engine}\n${withText(options)}`
}

/** `CREATE DATABASE IF NOT EXISTS …` */
export function createDatabaseText(database: Database): string {
  return `CREATE DATABASE IF NOT EXISTS ${quoteName(database.name)}\n${withText(ddlOptions(database.options))}`
}

/** Options as text, sorted; keys that need quotes come first. */
export function ddlOptions(options: TableOptions): [string, string][] {
  return Object.entries(options)
    .filter(([, value]) => value !== undefined && value !== '')
    .map(([key, value]): [string, string] => [optionKey(key), String(value)])
    .sort(([a], [b]) => (a < b ? -1 : 1))
}

/** `comment` is a word of the grammar. */
function optionKey(key: string): string {
  return key === 'comment' ? "'comment'" : key
}

function withText(options: readonly (readonly [string, string])[]): string {
  if (options.length === 0) return ''
  return `WITH(\n${options.map(([key, value]) => `  ${key} = ${quoteText(value)}`).join(',\n')}\n)`
}

/** `CREATE VIEW …` */
export function createViewText({ name, query, columns }: View): string {
  return `CREATE VIEW ${quoteName(name)} (${columns.map(column => quoteName(column.name)).join(', ')}) AS ${query}`
}

function columnText(column: TableColumn): string {
  const parts = [quoteName(column.name), sqlTypeName(column.type), column.nullable ? 'NULL' : 'NOT NULL']
  if (column.default !== undefined) parts.push(`DEFAULT ${column.default}`)
  if (column.comment !== undefined) parts.push(`COMMENT ${quoteText(column.comment)}`)
  if (column.index !== undefined) parts.push(indexText(column.index))
  return parts.join(' ')
}

function indexText({ kind, options }: ColumnIndex): string {
  const texts = Object.entries(options)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => `${key} = ${quoteText(value)}`)
  return `${kind.toUpperCase()} INDEX${texts.length > 0 ? ` WITH(${texts.join(', ')})` : ''}`
}
