// INSERT: values or a query's rows become one write of whole columns.
import { DbError, heldRows, parseZone, type Table, type TableColumn, utc } from '../../../core/index.ts'
import { hint } from '../catalog/name.ts'
import { readRows, runQuery, type Session } from '../session.ts'
import type { Name } from '../statement/cursor.ts'
import type { InsertStatement } from '../statement/statement.ts'
import { type Token, tokenize } from '../text/token.ts'
import { buildColumn } from './column-value.ts'
import { defaultOf } from './default-value.ts'
import { type Literal, nullLiteral, readLiteral, resultLiteral } from './literal.ts'
import { findTarget } from './target.ts'

/** Runs it and returns the number of rows written. */
export async function insert(session: Session, statement: InsertStatement): Promise<number> {
  const table = findTarget(session, statement.table)
  const columns = statement.columns?.map(name => findColumn(table, name)) ?? table.columns
  const listed = new Set(columns)
  if (listed.size < columns.length) throw new DbError('InvalidArguments', 'a column of INSERT is named twice')
  const given = await readSource(session, statement.source, columns.length)
  if (given.rows === 0) return 0
  const context = { zone: parseZone(session.ctx.timezone) ?? utc, now: BigInt(Date.now()) * 1_000_000n }
  const written = table.columns.flatMap(column => {
    const at = columns.indexOf(column)
    if (at < 0 && column.default === undefined) return []
    const literals = at < 0 ? Array<Literal>(given.rows).fill({ kind: 'default' }) : given.columns[at]!
    const fallback = literals.some(literal => literal.kind === 'default') ? defaultOf(column) : nullLiteral
    const filled = literals.map(literal => (literal.kind === 'default' ? fallback : literal))
    return [buildColumn(column, filled, context)]
  })
  if (!written.some(column => column.name === table.timeIndex.name)) {
    throw new DbError('InvalidArguments', `column ${table.timeIndex.name} is the time index and must be given`)
  }
  const ctx = { ...session.ctx, db: table.database }
  const result = await session.store.write(ctx, [
    { table: table.name, rows: given.rows, columns: written, autoCreate: false }
  ])
  return result.rows
}

function findColumn(table: Table, name: Name): TableColumn {
  const found = table.columns.find(column => column.name === name.text)
  if (found !== undefined) return found
  const names = table.columns.map(column => column.name)
  throw new DbError(
    'TableColumnNotFound',
    `Column ${name.text} not exists in table ${table.name}${hint(name.text, names)}`
  )
}

interface Given {
  readonly rows: number
  readonly columns: readonly (readonly Literal[])[]
}

async function readSource(session: Session, source: InsertStatement['source'], width: number): Promise<Given> {
  if (source.kind === 'query') return readQuery(session, source.tokens, width)
  const wrong = source.rows.find(row => row.length !== width)
  if (wrong !== undefined) throw mismatch(width, wrong.length)
  const expressions: Token[][] = []
  const columns = Array.from({ length: width }, (_, c) =>
    source.rows.map(row => {
      const literal = readLiteral(row[c]!)
      if (literal === undefined) expressions.push([...row[c]!])
      return literal
    })
  )
  const computed = expressions.length === 0 ? [] : await evaluate(session, expressions)
  return {
    rows: source.rows.length,
    columns: columns.map(column => column.map(literal => literal ?? computed.shift()!))
  }
}

/** Constant expressions, all at once. */
async function evaluate(session: Session, expressions: readonly (readonly Token[])[]): Promise<Literal[]> {
  const select = tokenize('SELECT').map(token => ({ ...token, start: expressions[0]![0]!.start }))
  const [open, comma, close] = tokenize('(,)')
  const list = expressions.flatMap((expression, i) => [...(i > 0 ? [comma!] : []), open!, ...expression, close!])
  const answer = await runQuery(session, [
    ...select,
    ...list.map((token, i) => (i === 0 ? { ...token, spaced: true } : token))
  ])
  const [row] = await readRows(answer)
  return answer.columns.map(({ type }, i) => resultLiteral(row?.[i], type))
}

async function readQuery(session: Session, tokens: readonly Token[], width: number): Promise<Given> {
  const answer = await runQuery(session, tokens)
  if (answer.columns.length !== width) {
    answer.close?.()
    throw mismatch(width, answer.columns.length)
  }
  const columns: Literal[][] = answer.columns.map(() => [])
  let rows = 0
  for await (const batch of answer.batches()) {
    rows += batch.rows
    if (rows > heldRows) throw new DbError('InvalidArguments', `INSERT … SELECT takes at most ${heldRows} rows at once`)
    batch.columns.forEach(({ values, valid }, c) => {
      const { type } = answer.columns[c]!
      for (let i = 0; i < batch.rows; i++) {
        const there = valid === undefined || valid[i >> 3]! & (1 << (i & 7))
        columns[c]!.push(there ? resultLiteral(values[i], type) : nullLiteral)
      }
    })
  }
  return { rows, columns }
}

function mismatch(columns: number, values: number): DbError {
  return new DbError(
    'InvalidArguments',
    `Invalid SQL, error: column count mismatch, columns: ${columns}, values: ${values}`
  )
}
