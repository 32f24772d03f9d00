// Rows of the SHOW statements, and what LIKE and WHERE leave of them.
import {
  type ColumnType,
  DbError,
  duckdbTimeTypes,
  duckdbType,
  Pace,
  type RecordsAnswer,
  type ResultType,
  runPaced
} from '../../../core/index.ts'
import { privileged, runQuery, type Session } from '../session.ts'
import type { ShowFilter } from '../statement/statement.ts'
import { separated, type Token, tokenize, tokensAt } from '../text/token.ts'
import { textOf } from './information/index.ts'
import type { Row as InformationRow, InformationTable } from './information/table.ts'
import { type Row, rowsAnswer } from './rows.ts'

type ShownColumn = string | readonly [string, ResultType]

/** Name of the table of these rows in the query of a filter; nobody can write it. */
const shownTable = '\0shown'

/** Rows that match; `alias` names the first column for a condition, too. Rows may have more cells than there are columns. */
export async function filtered(
  session: Session,
  columns: readonly ShownColumn[],
  rows: readonly Row[],
  filter: ShowFilter | undefined,
  alias?: string
): Promise<RecordsAnswer> {
  if (filter === undefined || rows.length === 0) return rowsAnswer(columns, rows)
  const named = columns.map(column => [nameOf(column), typeOf(column)] as const)
  const isNamed = alias === undefined || named.some(([name]) => name === alias)
  const all = isNamed ? named : [...named, [alias, named[0]![1]] as const]
  const cells = all.map(([, type], c) => rows.map(row => cellText(row[c < named.length ? c : 0], type)))
  const text = await runPaced(new Pace(session.ctx), session.store.dialect.rows(all, cells))
  const condition = conditionOf(session, filter, named[0]![0])
  const quoted = (value: string): Token => ({ ...condition[0]!, kind: 'quoted', value })
  const items = separated(named.map(([name]) => [[quoted(name)]]))
  const answer = await runQuery(
    { ...privileged(session), given: new Map([[shownTable, { columns: all, text }]]) },
    tokensAt(condition[0]!, ['SELECT', ...items, 'FROM', [quoted(shownTable)], 'AS shown WHERE', condition])
  )
  return { ...answer, columns: columns.map((column, i) => ({ name: nameOf(column), type: answer.columns[i]!.type })) }
}

/** As `Dialect.rows` takes it: times are not counts there. */
function cellText(cell: unknown, type: string): string | null {
  return type === duckdbTimeTypes.ms ? new Date(Number(cell)).toISOString().slice(0, -1) : textOf(cell)
}

/** The condition of a filter; LIKE is one on the first column, which has this name. */
export function conditionOf({ store }: Session, filter: ShowFilter, first: string): readonly Token[] {
  if (filter.kind === 'where') {
    if (filter.tokens.length === 0) throw new DbError('InvalidSyntax', 'SHOW … WHERE needs a condition')
    return filter.tokens
  }
  const { quoteName, quoteText, backslashEscapes } = store.dialect
  return tokenize(`${quoteName(first)} LIKE ${quoteText(filter.pattern)}`, undefined, backslashEscapes)
}

/** Rows of a table of information_schema as those of a SHOW, whose columns are listed as `Name: column, …`; one without a column is null. */
export function shownRows(
  { columns }: Pick<InformationTable, 'columns'>,
  rows: readonly InformationRow[],
  list: string
) {
  const integers = new Set(columns.flatMap(([name, type]) => (type === 'BIGINT' ? [name] : [])))
  const shown = list.split(/,\s+/).map(each => each.split(': '))
  const cellOf = (row: InformationRow, column = '') => {
    const cell = row[column] ?? null
    return cell !== null && integers.has(column) ? BigInt(cell) : cell
  }
  return {
    columns: shown.map(([name, column]): ShownColumn => (integers.has(column ?? '') ? [name!, 'Int64'] : name!)),
    rows: rows.map((row): Row => shown.map(([, column]) => cellOf(row, column)))
  }
}

function nameOf(column: ShownColumn): string {
  return typeof column === 'string' ? column : column[0]
}

function typeOf(column: ShownColumn): string {
  return typeof column === 'string' ? 'VARCHAR' : duckdbType(column[1] as ColumnType)
}
