// CREATE VIEW and DROP VIEW.
import { DbError, type View } from '../../../core/index.ts'
import { invalid } from '../error.ts'
import { queryColumns, type Session } from '../session.ts'
import type { CreateView, Statement } from '../statement/statement.ts'
import { onExisting } from './change.ts'
import { fullName, lookUpView, resolveChanged } from './name.ts'

/** Returns the affected rows: none. The query must work now; it is read anew whenever the view is. */
export async function createView(session: Session, statement: CreateView): Promise<number> {
  const { store, ctx } = session
  const { database, table: name } = resolveChanged(store, ctx.db, statement.name)
  if (statement.ifNotExists && store.view(database, name.text) !== undefined) return 0
  const views = [fullName(database, name.text)]
  const defined = { ...session, ctx: { ...ctx, db: database }, views }
  const found = await queryColumns(defined, statement.query.tokens)
  const columns = found.map(({ name, type }, i) => {
    const given = statement.columns?.[i]?.text
    return given === undefined || given === name ? { name, type } : { name: given, type, from: name }
  })
  checkColumns(statement, columns, found.length)
  const view = { database, name: name.text, query: statement.text, columns, createdAt: Date.now() }
  await store.putView(ctx, view, statement.replace ? 'replace' : onExisting(statement))
  return 0
}

function checkColumns({ columns: written }: CreateView, columns: View['columns'], found: number): void {
  if (written !== undefined && written.length !== found) {
    throw invalid(`the view names ${written.length} columns, its query has ${found}`)
  }
  const names = new Set<string>()
  for (const { name } of columns) {
    if (names.has(name)) {
      throw invalid(`the view would have two columns named ${name}: give one of them another name`)
    }
    names.add(name)
  }
}

export async function dropViews(
  { store, ctx }: Session,
  statement: Extract<Statement, { kind: 'drop_view' }>
): Promise<number> {
  const views = new Map<View, () => DbError>()
  for (const parts of statement.names) {
    const { database, table } = resolveChanged(store, ctx.db, parts)
    const view = lookUpView(store, ctx.db, parts)
    const missing = () => new DbError('TableNotFound', `View not found: ${fullName(database, table.text)}`)
    if (view !== undefined) views.set(view, missing)
    else if (store.table(database, table.text) !== undefined) {
      throw invalid(`${fullName(database, table.text)} is a table: use DROP TABLE`)
    } else if (!statement.ifExists) throw missing()
  }
  for (const [view, missing] of views) {
    if (!(await store.dropView(ctx, view)) && !statement.ifExists) throw missing()
  }
  return 0
}
