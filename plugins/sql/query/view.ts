// A view in a query: its own query, resolved in turn, in place of the name.
import { DbError, isDbError, type Relation, type TableColumn, type View, withMessage } from '../../../core/index.ts'
import { fullName } from '../catalog/name.ts'
import { invalid } from '../error.ts'
import { quoteName, type Token, tokenize } from '../text/token.ts'
import { shiftRelation } from './edit.ts'
import type { Names } from './names.ts'
import type { ResolveContext, ResolvedQuery } from './resolve.ts'

/** Views a view may stand on, one above the other. */
const deepest = 16

/** A view with its query, resolved. */
export interface Expanded {
  readonly view: View
  readonly query: ResolvedQuery
}

type ResolveQuery = (context: ResolveContext, tokens: readonly Token[]) => Promise<ResolvedQuery>

/** Throws DbError when the view refers to itself, or to what is no longer there. */
export async function expandView(resolveQuery: ResolveQuery, context: ResolveContext, view: View): Promise<Expanded> {
  const query = await readView(context, view, resolveQuery)
  if (query.byName) requireColumns(fullName(view.database, view.name), view, query)
  return { view, query }
}

/** A view's query, resolved in the context of the view. */
export async function readView<C extends Pick<ResolveContext, 'store' | 'db' | 'sql' | 'views'>, Q>(
  context: C,
  view: View,
  read: (context: C, tokens: readonly Token[]) => Promise<Q>
): Promise<Q> {
  const name = fullName(view.database, view.name)
  const above = context.views ?? []
  if (above.includes(name)) throw invalid(`view ${name} refers to itself`)
  if (above.length >= deepest) throw invalid(`more than ${deepest} views stand on each other`)
  const inner = { ...context, db: view.database, sql: view.query, views: [...above, name] }
  const tokens = tokenize(view.query, undefined, context.store.dialect.backslashEscapes)
  return read(inner, tokens).catch((error: unknown) => {
    throw isDbError(error) ? withMessage(error, `view ${name}: ${error.message}`) : error
  })
}

/** The name its query has for a column of a view. */
function sourceName({ name, from }: View['columns'][number]): string {
  return from ?? name
}

function requireColumns(name: string, view: View, { result }: ResolvedQuery): void {
  if (result.open) return
  const known = new Set(result.list.map(field => field.name))
  // The second of two columns with one name has a number behind it.
  const lost = view.columns
    .map(sourceName)
    .find(column => !known.has(column) && !known.has(column.replace(/_\d+$/, '')))
  if (lost === undefined) return
  throw new DbError('PlanQuery', `view ${name}: column ${lost} is no longer there: create the view anew`)
}

/** SQL of a view's rows: columns its query names by position, those that a star means by their names, whatever came to stand beside them. */
export function viewRows({ view, query }: Expanded, names: Names): { text: string; relations: readonly Relation[] } {
  const told = view.columns.map(({ name }) => quoteName(names.encode(name)))
  const inner = (i: number) => quoteName(query.names.encode(sourceName(view.columns[i]!)))
  const items = query.byName ? told.map((name, i) => `${inner(i)} AS ${name}`).join(', ') : '*'
  const head = `(SELECT ${items} FROM (`
  const tail = query.byName ? ') AS viewed)' : `) AS viewed(${told.join(', ')}))`
  return {
    text: `${head}${query.text}${tail}`,
    relations: query.relations.map(each => shiftRelation(each, head.length))
  }
}

/** The columns of a view, for the query that reads it. */
export function viewColumns(view: View): readonly TableColumn[] {
  return view.columns.map(({ name, type }) => ({
    id: 0,
    name,
    physical: name,
    type: type as TableColumn['type'],
    semantic: 'field',
    nullable: true
  }))
}
