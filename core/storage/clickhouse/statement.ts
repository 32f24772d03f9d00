// Statements with the cluster's names instead of tables and parameters.
import { DbError } from '../../errors.ts'
import type { Table } from '../../model/table.ts'
import type { SqlQuery, SqlValue } from '../engine.ts'
import type { ClusterCatalog } from './catalog.ts'
import { quotedPattern, quoteName } from './names.ts'

/** The text with tables and parameters replaced. */
export function fillRelations(
  { text, relations, parameters = [] }: SqlQuery,
  of: (relation: SqlQuery['relations'][number]) => string
): string {
  let written = ''
  let at = 0
  for (const each of relations) {
    written += fillParameters(text.slice(at, each.start), parameters)
    written += `${of(each)}${each.alias === undefined ? '' : ` AS ${quoteName(each.alias)}`}`
    at = each.end
  }
  return written + fillParameters(text.slice(at), parameters)
}

/** `$1` outside of quotes becomes a parameter of the cluster, with its type. */
function fillParameters(text: string, parameters: readonly SqlValue[]): string {
  if (parameters.length === 0) return text
  return text.replace(new RegExp(`${quotedPattern.source}|\\$(\\d+)`, 'gs'), (whole, number?: string) => {
    const value = number === undefined ? undefined : parameters[Number(number) - 1]
    return value === undefined ? whole : `{p${number}:${parameterType(value)}}`
  })
}

/**
 * Translates an offset in the statement that was sent into the offset in the user's text. Undefined where parameters moved it.
 */
export function placeholderAt(query: SqlQuery, names: readonly string[], at: number): number | undefined {
  if ((query.parameters ?? []).length > 0) return undefined
  let moved = 0
  for (const [i, { start, end, alias }] of query.relations.entries()) {
    const length = names[i]!.length + (alias === undefined ? 0 : ` AS ${quoteName(alias)}`.length)
    if (at < start + moved) break
    if (at < start + moved + length) return start
    moved += length - (end - start)
  }
  const location = at - moved
  return location < 0 ? undefined : Math.min(location, query.text.length)
}

function parameterType(value: SqlValue): string {
  switch (typeof value) {
    case 'bigint':
      return 'Int64'
    case 'number':
      return 'Float64'
    case 'boolean':
      return 'Bool'
    default:
      return 'String'
  }
}

/** A table whose columns are those the statement was made for. */
export function requireSame(catalog: ClusterCatalog, table: Table): Table {
  const now = catalog.current(table)
  const changed = table.columns.find(({ id }) => !now.columns.some(column => column.id === id))
  if (changed === undefined) return now
  throw new DbError('RequestOutdated', `column ${changed.name} of table ${table.name} was changed meanwhile`)
}
