// INSERT: values become one write of whole columns, a query's rows one write after the other.
import { authorise, type DbError, Pace, type Table, type TableColumn, type TableWrite } from '../../../core/index.ts'
import { invalid } from '../error.ts'
import { privileged, readRows, runQuery, type Session } from '../session.ts'
import type { Name } from '../statement/cursor.ts'
import type { InsertStatement } from '../statement/statement.ts'
import { isToken, separated, type Token, tokensAt } from '../text/token.ts'
import { buildColumn, type ValueContext, valueContext } from './column-value.ts'
import { defaultColumns, defaultOf, requireTime } from './default-value.ts'
import { type Literal, nullLiteral, readLiteral, resultLiteral } from './literal.ts'
import { writeAnswer } from './stream.ts'
import { findTarget, requireColumn } from './target.ts'

/** Runs it and returns the number of rows written. */
export async function insert(session: Session, statement: InsertStatement): Promise<number> {
  const table = findTarget(session, statement.table)
  const columns = insertColumns(table, statement.columns)
  const { source } = statement
  if (source.kind === 'values') return insertValues(session, table, columns, source.rows)
  const answer =
    source.kind === 'tql' ? await session.evaluate(session, source) : await runQuery(session, source.tokens)
  if (answer.columns.length !== columns.length) {
    answer.close?.()
    throw mismatch(columns.length, answer.columns.length)
  }
  return writeAnswer(session, table, columns, answer)
}

/** The columns a statement names, or all. */
export function insertColumns(table: Table, names: readonly Name[] | undefined): readonly TableColumn[] {
  const columns = names?.map(name => requireColumn(table, name)) ?? table.columns
  if (new Set(columns).size < columns.length) {
    throw invalid('a column of INSERT is named twice')
  }
  return columns
}

type Row = readonly (readonly Token[])[]

/** Values that are read in one go, and tokens: a value may be a long expression. */
const [partValues, partTokens] = [8_192, 32_768]

/** All rows are one write: of those of a request that fails none is stored. */
async function insertValues(
  session: Session,
  table: Table,
  columns: readonly TableColumn[],
  rows: Iterable<Row>
): Promise<number> {
  requireTime(table, columns)
  const context = valueContext(session)
  const writes: TableWrite[] = []
  const pace = new Pace(session.ctx)
  let first = 0
  for (const part of inParts(rows, Math.ceil(partValues / columns.length))) {
    writes.push(await insertPart(session, table, columns, part, { ...context, first }))
    first += part.length
    if (pace.isDue) await pace.pause()
  }
  return (await session.store.write({ ...session.ctx, db: table.database }, writes)).rows
}

function* inParts(rows: Iterable<Row>, length: number): Generator<Row[]> {
  let part: Row[] = []
  let tokens = 0
  for (const row of rows) {
    part.push(row)
    for (const expression of row) tokens += expression.length
    if (part.length < length && tokens < partTokens) continue
    yield part
    part = []
    tokens = 0
  }
  if (part.length > 0) yield part
}

async function insertPart(
  session: Session,
  table: Table,
  columns: readonly TableColumn[],
  rows: readonly Row[],
  context: ValueContext
): Promise<TableWrite> {
  const given = await readValues(session, rows, columns.length)
  const written = columns.map((column, at) => {
    const literals = given[at]!
    const fallback = literals.some(literal => literal.kind === 'default') ? defaultOf(column) : nullLiteral
    const filled = literals.map(literal => (literal.kind === 'default' ? fallback : literal))
    return buildColumn(column, filled, context)
  })
  const all = [...written, ...defaultColumns(table, columns, rows.length, context)]
  return { table: table.name, rows: rows.length, columns: all, autoCreate: false }
}

/** The constants of each column. */
async function readValues(session: Session, rows: readonly Row[], width: number): Promise<Literal[][]> {
  const wrong = rows.find(row => row.length !== width)
  if (wrong !== undefined) throw mismatch(width, wrong.length)
  const expressions: Token[][] = []
  const columns = Array.from({ length: width }, (_, c) =>
    rows.map(row => {
      const literal = readLiteral(row[c]!)
      if (literal === undefined) expressions.push([...row[c]!])
      return literal
    })
  )
  const computed = expressions.length === 0 ? [] : await evaluate(session, expressions)
  return columns.map(column => column.map(literal => literal ?? computed.shift()!))
}

/** Constant expressions, all at once. */
async function evaluate(session: Session, expressions: readonly (readonly Token[])[]): Promise<Literal[]> {
  // Without a subquery nothing is read: whoever may write may compute.
  const reads = expressions.flat().some(token => isToken(token, 'select') || isToken(token, 'from'))
  if (reads) authorise(session.ctx.user, 'read')
  const select = tokensAt(expressions[0]![0]!, ['SELECT', ...separated(expressions.map(each => ['(', each, ')']))])
  const answer = await runQuery(reads ? session : privileged(session), select)
  const [row] = await readRows(answer)
  return answer.columns.map(({ type }, i) => resultLiteral(row?.[i], type))
}

function mismatch(columns: number, values: number): DbError {
  return invalid(`Invalid SQL, error: column count mismatch, columns: ${columns}, values: ${values}`)
}
