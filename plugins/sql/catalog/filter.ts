// LIKE and WHERE of the SHOW statements, over rows made here.
import {
  type ColumnType,
  DbError,
  type Dialect,
  eachPaced,
  Pace,
  type RecordsAnswer,
  type ResultType,
  runAtOnce
} from '../../../core/index.ts'
import { engineType } from '../query/engine-type.ts'
import { privileged, runQuery, type Session } from '../session.ts'
import type { ShowFilter } from '../statement/statement.ts'
import { quoteName, quoteText, type Token, tokenize } from '../text/token.ts'
import { likePattern } from './like.ts'
import { type Row, rowsAnswer } from './rows.ts'

export type ShownColumn = string | readonly [string, ResultType]

/** Rows that match; `alias` names the first column for a condition, too. Rows may have more cells than there are columns. */
export async function filtered(
  session: Session,
  columns: readonly ShownColumn[],
  rows: readonly Row[],
  filter: ShowFilter | undefined,
  alias?: string
): Promise<RecordsAnswer> {
  if (filter?.kind === 'like') {
    const matches = likePattern(filter.pattern)
    const kept: Row[] = []
    await eachPaced(new Pace(session.ctx), rows, row => {
      if (matches(String(row[0]))) kept.push(row)
    })
    return rowsAnswer(columns, kept)
  }
  if (filter === undefined || rows.length === 0) return rowsAnswer(columns, rows)
  const { dialect } = session.store
  const select =
    dialect.name === 'duckdb' ? selectRows(columns, rows, alias) : selectCells(dialect, columns, rows, alias)
  const answer = await runQuery(privileged(session), withCondition(session, select, filter))
  return { ...answer, columns: columns.map((column, i) => ({ name: nameOf(column), type: answer.columns[i]!.type })) }
}

/** The tokens of a query that ends in `WHERE`, with the condition. */
export function withCondition(
  { store }: Session,
  select: string,
  { tokens: [first, ...rest] }: Extract<ShowFilter, { kind: 'where' }>
): readonly Token[] {
  if (first === undefined) throw new DbError('InvalidSyntax', 'SHOW … WHERE needs a condition')
  return [...tokenize(select, undefined, store.dialect.backslashEscapes), { ...first, spaced: true }, ...rest]
}

function nameOf(column: ShownColumn): string {
  return typeof column === 'string' ? column : column[0]
}

function selectRows(columns: readonly ShownColumn[], rows: readonly Row[], alias: string | undefined): string {
  const shown = columns.map(nameOf)
  const typed = columns.map(
    column => `CAST(${quoteName(nameOf(column))} AS ${typeOf(column)}) AS ${quoteName(nameOf(column))}`
  )
  const names = [...shown, ...(alias === undefined || shown.includes(alias) ? [] : [alias])].map(quoteName)
  const lines = rows.map(row => `(${names.map((_, c) => cell(row[c < shown.length ? c : 0])).join(', ')})`)
  return `SELECT ${typed.join(', ')} FROM (VALUES ${lines.join(', ')}) AS shown(${names.join(', ')}) WHERE`
}

/** The same in a dialect of another engine. */
function selectCells(
  dialect: Dialect,
  columns: readonly ShownColumn[],
  rows: readonly Row[],
  alias: string | undefined
): string {
  const shown = columns.map(nameOf)
  const more = alias === undefined || shown.includes(alias) ? [] : [[alias, typeOf(columns[0]!)] as const]
  const named = [...columns.map(column => [nameOf(column), typeOf(column)] as const), ...more]
  const text = (value: unknown) => (value === null || value === undefined ? null : String(value))
  const cells = named.map((_, c) => rows.map(row => text(row[c < shown.length ? c : 0])))
  return `SELECT ${shown.map(dialect.quoteName).join(', ')} FROM ${runAtOnce(dialect.rows(named, cells))} AS shown WHERE`
}

/** Constants would get types of their own. */
function typeOf(column: ShownColumn): string {
  return typeof column === 'string' ? 'VARCHAR' : engineType(column[1] as ColumnType)
}

function cell(value: unknown): string {
  if (value === null || value === undefined) return 'NULL'
  return typeof value === 'number' || typeof value === 'bigint' ? String(value) : quoteText(String(value))
}
