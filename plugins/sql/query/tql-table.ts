// TQL in a common table: `WITH load AS (TQL EVAL (start, end, step) query) SELECT …`. Its rows are computed first and stand in the query
// as a table made of constants.
import { duckdbRows, isValid, type Pace, type RecordsAnswer, type ResultBatch, runPaced } from '../../../core/index.ts'
import { invalid } from '../error.ts'
import type { TqlStatement } from '../statement/statement.ts'
import { parseTql } from '../statement/tql.ts'
import { closing } from '../text/brackets.ts'
import { isToken, type Token, tokensAt } from '../text/token.ts'

/** A table made of constants. */
export interface GivenTable {
  /** Names with the engine's types. */
  readonly columns: readonly (readonly [string, string])[]
  /** SQL of its rows. */
  readonly text: string
}

export interface TqlRunner {
  /** Names without a database are looked for in `db`. */
  run(statement: TqlStatement, db: string): Promise<RecordsAnswer>
  /** Rows that all of one query may give. */
  readonly limit: number
}

interface Computed {
  readonly tokens: readonly Token[]
  /** By names no user can write. */
  readonly tables: ReadonlyMap<string, GivenTable>
}

/** The tokens with a table in place of each TQL, and these tables. */
export async function computeTql(
  { sql, db, tql, pace }: { readonly sql: string; readonly db: string; readonly tql: TqlRunner; readonly pace: Pace },
  written: readonly Token[]
): Promise<Computed> {
  const { tokens, found } = cutTql(sql, written, '\0')
  const tables = new Map<string, GivenTable>()
  const quota: RowQuota = { rows: tql.limit, limit: tql.limit }
  for (const { name, statement } of found) tables.set(name, await readTable(await tql.run(statement, db), quota, pace))
  return { tokens, tables }
}

/** Rows that the TQL of a query may still give. */
interface RowQuota {
  rows: number
  readonly limit: number
}

export interface FoundTql {
  readonly statement: TqlStatement
  /** Of its first token, and behind its last, among those written. */
  readonly from: number
  readonly to: number
  /** Of the table that replaces it. */
  readonly name: string
}

/** The tokens with `SELECT * FROM name AS tql` in place of each TQL; the names begin with `mark`. */
export function cutTql(
  sql: string,
  written: readonly Token[],
  mark = ''
): { readonly tokens: readonly Token[]; readonly found: readonly FoundTql[] } {
  const parts: (readonly Token[])[] = []
  const found: FoundTql[] = []
  let at = 0
  for (let open = findTql(written, at); open >= 0; open = findTql(written, at)) {
    const [from, to] = [open + 1, closing(written, open) ?? written.length]
    const statement = parseTql({ sql, tokens: written.slice(from + 1, to), at: 0 })
    const name = `${mark}tql${found.length}`
    found.push({ statement, from, to, name })
    parts.push(written.slice(at, from), selectAll(name, written[from]!))
    at = to
  }
  return { tokens: found.length === 0 ? written : [...parts, written.slice(at)].flat(), found }
}

/** The parenthesis of the next `AS (TQL EVAL (`, or −1. */
function findTql(tokens: readonly Token[], from: number): number {
  return tokens.findIndex(
    (token, i) =>
      i >= from &&
      isToken(token, '(') &&
      (isToken(tokens[i - 1], 'as') || isToken(tokens[i - 1], 'materialized')) &&
      isToken(tokens[i + 1], 'tql') &&
      (isToken(tokens[i + 2], 'eval') || isToken(tokens[i + 2], 'evaluate')) &&
      isToken(tokens[i + 3], '(')
  )
}

/** `SELECT * FROM name AS tql`, all with the location of one token. */
function selectAll(name: string, at: Token): Token[] {
  return tokensAt(at, ['SELECT * FROM', [{ ...at, kind: 'quoted', value: name }], 'AS tql'])
}

async function readTable({ columns, batches }: RecordsAnswer, quota: RowQuota, pace: Pace): Promise<GivenTable> {
  const lists: (string | null)[][] = columns.map(() => [])
  for await (const batch of batches()) {
    quota.rows -= batch.rows
    if (quota.rows < 0) {
      throw invalid(
        `TQL in common tables gives more than ${quota.limit} rows (plugins.sql.tql_table_limit): take a longer step, fewer series or an aggregation`
      )
    }
    for (const [i, list] of lists.entries()) addCells(list, batch, i)
  }
  const typed = columns.map(({ name, type }) => [name, engineTypes[type] ?? 'VARCHAR'] as const)
  return { columns: typed, text: await runPaced(pace, duckdbRows(typed, lists, castText)) }
}

/** Those of the rows of PromQL; the others are text. */
const engineTypes: Readonly<Record<string, string>> = { TimestampMillisecond: 'TIMESTAMP_MS', Float64: 'DOUBLE' }

/** Times are counts of milliseconds. */
function castText(column: string, type: string): string {
  const value = type === 'TIMESTAMP_MS' ? `epoch_ms(CAST(${column} AS BIGINT))` : column
  return `CAST(${value} AS ${type})`
}

function addCells(list: (string | null)[], { rows, columns }: ResultBatch, at: number): void {
  const { values, valid } = columns[at]!
  for (let row = 0; row < rows; row++) {
    const value = isValid(valid, row) ? values[row] : null
    list.push(value === null || value === undefined ? null : Object.is(value, -0) ? '-0' : String(value))
  }
}
