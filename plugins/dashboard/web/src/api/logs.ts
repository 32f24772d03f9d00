// Log queries and their live tail.
import { send } from './http.ts'
import { type Column, readJson, readReply, type SqlResult } from './sql.ts'

export type Expression =
  | { readonly NamedIdent: string }
  | { readonly Literal: string }
  | { readonly ScalarFunc: { readonly name: string; readonly args: readonly Expression[]; readonly alias?: string } }

export type Test =
  | 'Exist'
  | { readonly [Kind in 'Exact' | 'Contains' | 'Prefix' | 'Postfix' | 'Regex' | 'Matches']?: string }
  | { readonly [Kind in 'GreatThan' | 'LessThan']?: { readonly value: string; readonly inclusive: boolean } }
  | { readonly In: readonly string[] }

export type Condition =
  | { readonly Single: { readonly expr: Expression; readonly filters: readonly Test[] } }
  | { readonly And: readonly Condition[] }
  | { readonly Or: readonly Condition[] }
  | { readonly Not: Condition }

/** A table, and which of its lines. */
export interface LogSelection {
  readonly table: string
  readonly filters?: Condition
}

export interface LogQuery extends LogSelection {
  readonly time_filter?: { readonly start: string; readonly end: string }
  readonly columns?: readonly string[]
  readonly exprs?: readonly unknown[]
  readonly context?: { readonly Lines: readonly [before: number, after: number] }
  readonly order_by?: readonly unknown[]
  readonly limit?: { readonly skip?: number; readonly fetch?: number }
}

/** `db`: the database, where it is not the chosen one. */
export async function queryLogs(query: LogQuery, signal?: AbortSignal, db?: string): Promise<SqlResult> {
  return readReply(await (await post('/v1/logs', query, signal, db)).text())
}

/** Lines that say the same but for numbers, names and the like. */
export interface LogPattern {
  /** Words, with `<*>` where lines differ. */
  readonly pattern: string
  /** For a filter `Regex` that finds them. */
  readonly regex: string
  readonly count: number
  /** RFC 3339. */
  readonly first: string
  readonly last: string
  readonly examples: readonly string[]
}

interface LogPatterns {
  readonly lines: number
  /** Rows that were not examined, older than the others. */
  readonly older: number
  /** Without a text. */
  readonly empty: number
  /** Of patterns that are not in the answer. */
  readonly others: number
  /** Most frequent first. */
  readonly patterns: readonly LogPattern[]
}

/** Groups the texts of a column; at most `fetch` groups. */
export async function queryPatterns(
  query: LogSelection & Pick<LogQuery, 'time_filter'>,
  column: string,
  fetch: number,
  signal?: AbortSignal
): Promise<LogPatterns> {
  const response = await post('/v1/logs/patterns', { ...query, columns: [column], limit: { fetch } }, signal)
  return (await response.json()) as LogPatterns
}

/** How often each combination of values of expressions is there. The counts are the last column. */
export function countBy(by: readonly Expression[]): Pick<LogQuery, 'exprs'> {
  return { exprs: [{ AggrFunc: { expr: [{ name: 'count', args: [], alias: countName }], by } }] }
}

/** No column of a table is called like this. */
export const countName = '__lines'

export type TailEvent =
  | { readonly kind: 'schema'; readonly columns: readonly Column[] }
  | { readonly kind: 'rows'; readonly rows: readonly (readonly unknown[])[] }
  | { readonly kind: 'lost'; readonly rows: number }
  | { readonly kind: 'end'; readonly reason: string }

/** Follows new lines as they are written. Throws when the server refuses, at once or later. */
export async function* tailLogs(query: LogSelection, signal: AbortSignal): AsyncGenerator<TailEvent> {
  const response = await post('/v1/logs/tail', query, signal)
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
  let rest = ''
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return
    const blocks = (rest + value).split('\n\n')
    rest = blocks.pop()!
    for (const block of blocks) {
      const event = readEvent(block)
      if (event !== undefined) yield event
    }
  }
}

interface EventData {
  readonly column_schemas: readonly { readonly name: string; readonly data_type: string }[]
  readonly rows: unknown
  readonly reason: string
  readonly error: string
}

/** Undefined for a heartbeat. */
function readEvent(block: string): TailEvent | undefined {
  const [, name, text] = /^event: (\w+)\ndata: (.*)$/.exec(block) ?? []
  if (name === undefined || text === undefined) return undefined
  const data = readJson(text) as EventData
  switch (name) {
    case 'schema':
      return { kind: 'schema', columns: data.column_schemas.map(each => ({ name: each.name, type: each.data_type })) }
    case 'rows':
      return { kind: 'rows', rows: data.rows as readonly (readonly unknown[])[] }
    case 'lost':
      return { kind: 'lost', rows: data.rows as number }
    case 'end':
      return { kind: 'end', reason: data.reason }
    case 'failure':
      throw new Error(data.error)
  }
  return undefined
}

function post(path: string, query: LogQuery, signal?: AbortSignal, db?: string): Promise<Response> {
  const headers = { 'content-type': 'application/json' }
  return send(path, { body: JSON.stringify(query), headers, signal, ...(db !== undefined && { db }) })
}
