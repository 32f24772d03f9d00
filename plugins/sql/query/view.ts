// A view in a query: its own query, confined in turn, in place of the name.
import { DbError, isDbError, type Relation, type Table, type TableColumn, type View } from '../../../core/index.ts'
import { fullName } from '../catalog/name.ts'
import { quoteName, type Token, tokenize } from '../text/token.ts'
import type { Confined, Place } from './confine.ts'

/** Views a view may stand on, one above the other. */
const deepest = 16

/** Text that stands for the rows of a view, and where tables stand in it. */
export interface Expanded {
  readonly text: string
  readonly relations: readonly Relation[]
  readonly view: View
}

export type Confine = (place: Place, tokens: readonly Token[]) => Promise<Confined>

/** Throws DbError when the view refers to itself, or to what is no longer there. */
export async function expandView(confine: Confine, place: Place, view: View): Promise<Expanded> {
  const name = fullName(view.database, view.name)
  const above = place.views ?? []
  if (above.includes(name)) throw new DbError('InvalidArguments', `view ${name} refers to itself`)
  if (above.length >= deepest) throw new DbError('InvalidArguments', `more than ${deepest} views stand on each other`)
  const inner = { ...place, db: view.database, sql: view.query, views: [...above, name] }
  const { text, relations } = await confine(inner, tokenize(view.query)).catch((error: unknown) => {
    throw isDbError(error) ? new DbError(error.code, `view ${name}: ${error.message}`, { cause: error }) : error
  })
  const head = '(SELECT * FROM ('
  const columns = view.columns.map(column => quoteName(column.name)).join(', ')
  return {
    text: `${head}${text}) AS viewed(${columns}))`,
    relations: relations.map(each => ({ ...each, start: each.start + head.length, end: each.end + head.length })),
    view
  }
}

/** What the rest of a query needs to know of a table or a view. */
export type Named = Pick<Table, 'database' | 'name' | 'columns'>

export function asNamed({ database, name, columns }: View): Named {
  return { database, name, columns: columns.map(viewColumn) }
}

function viewColumn({ name, type }: View['columns'][number]): TableColumn {
  return { id: 0, name, physical: name, type: type as TableColumn['type'], semantic: 'field', nullable: true }
}
