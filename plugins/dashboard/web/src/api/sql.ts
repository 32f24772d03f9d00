// SQL: the rows of a statement, or the number of rows it changed.
import { type Request, send } from './http.ts'

export interface Column {
  readonly name: string
  readonly type: string
}

export interface SqlResult {
  readonly columns: readonly Column[]
  readonly rows: readonly (readonly unknown[])[]
  /** Rows a statement without rows changed. */
  readonly affected?: number
  /** Milliseconds the server took. */
  readonly took: number
}

interface Reply {
  readonly output: readonly {
    readonly records?: {
      readonly schema: { readonly column_schemas: readonly { readonly name: string; readonly data_type: string }[] }
      readonly rows: readonly (readonly unknown[])[]
    }
    readonly affectedrows?: number
  }[]
  readonly execution_time_ms: number
}

/** A text with `$name` where the values belong; they are sent beside it, never as part of it. */
export interface Statement {
  readonly text: string
  readonly params: Params
}

export type Params = Readonly<Record<string, string>>

type Options = Pick<Request, 'signal' | 'db'> & { readonly params?: Params }

/** The result of the last statement. `limit` is the most rows the server sends. */
export async function sql(text: string, options: Options & { readonly limit?: number } = {}): Promise<SqlResult> {
  const { limit, params, ...request } = options
  const response = await send('/v1/sql', { ...request, form: { sql: text, limit, params: paramsField(params) } })
  return readReply(await response.text())
}

/** The form field with the values; the server refuses values that the text does not name. */
export function paramsField(params: Params = {}): string | undefined {
  return Object.keys(params).length === 0 ? undefined : JSON.stringify(params)
}

/** An answer in the server's own format. */
export function readReply(text: string): SqlResult {
  const reply = readJson(text) as Reply
  const { records, affectedrows } = reply.output.at(-1) ?? {}
  return {
    columns: (records?.schema.column_schemas ?? []).map(({ name, data_type }) => ({ name, type: data_type })),
    rows: records?.rows ?? [],
    ...(affectedrows !== undefined && { affected: affectedrows }),
    took: reply.execution_time_ms
  }
}

/** Parses JSON; integers beyond 2^53 become bigints. */
export function readJson(text: string): unknown {
  return JSON.parse(text, keepWhole)
}

function keepWhole(_: string, value: unknown, context?: { readonly source?: string }): unknown {
  const isExact = typeof value !== 'number' || Number.isSafeInteger(value) || !/^-?\d+$/.test(context?.source ?? '')
  return isExact ? value : BigInt(context!.source!)
}

/** Rows as objects, for statements of this page. */
export async function rowsOf<T>(text: string, options?: Options): Promise<T[]> {
  const { columns, rows } = await sql(text, options)
  return rows.map(row => Object.fromEntries(columns.map(({ name }, i) => [name, row[i]])) as T)
}

export function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

export function quoteText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}
