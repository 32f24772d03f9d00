// Statements of users and plugins: guarded, then run over the rows of the tables they name.
import { DbError, isDbError, withMessage } from '../../errors.ts'
import type { ResultType } from '../../model/types.ts'
import type { Condition, QueryResult, SqlQuery } from '../engine.ts'
import type { Reading, ReadOptions } from './connection.ts'
import { explainAst, inPlainWords, syntaxError } from './errors.ts'
import { pollRows } from './follow.ts'
import { checkNames, guard, placeholderStart } from './guard.ts'
import { resultType } from './native.ts'
import { type QueryDependencies, querySettings, resultOf } from './query.ts'
import type { Readers } from './readers.ts'
import { type RowRange, relation } from './relation.ts'
import { fillRelations, placeholderAt, requireSame } from './statement.ts'

interface SqlDependencies extends QueryDependencies {
  readonly readers: Readers
  /** Texts that were guarded already. */
  readonly guarded: Guarded
}

export async function sql(parts: SqlDependencies, query: SqlQuery, signal: AbortSignal): Promise<QueryResult> {
  if (query.target !== undefined) throw unsupported('writing results to files')
  if ((query.given ?? []).length > 0) throw unsupported('reading files')
  const options = await optionsOf(parts, query, signal)
  await check(parts, query, options)
  const zone = query.timezone === 'UTC' ? undefined : query.timezone
  if (query.follow !== undefined) {
    return pollRows(parts, query, signal, (text, types) => ask(parts, query, text, { ...options, types }))
  }
  const text = fillRelations(query, ({ table, where }) =>
    relation(parts, requireSame(parts.catalog, table), rangeOf(where), { zone })
  )
  return resultOf(await ask(parts, query, text, { ...options, types: typesOf(query) }))
}

async function optionsOf(parts: SqlDependencies, query: SqlQuery, signal: AbortSignal): Promise<ReadOptions> {
  const { parameters = [], relations, timezone } = query
  const named = Object.fromEntries(parameters.map((value, i) => [`p${i + 1}`, String(value)]))
  const roles = await parts.readers.roles(relations.map(({ table }) => table.database))
  return {
    signal,
    // Nulls are in no list, as SQL has it.
    settings: {
      ...querySettings(parts, timezone),
      transform_null_in: 0,
      cancel_http_readonly_queries_on_client_close: 1
    },
    ...(parameters.length > 0 && { parameters: named }),
    confined: { roles }
  }
}

/** Throws DbError for what may not run, with its location where that is known. */
async function check({ connection, guarded }: SqlDependencies, query: SqlQuery, options: ReadOptions): Promise<void> {
  const names = query.relations.map((_, i) => `${placeholderStart}${i}`)
  let next = 0
  const text = fillRelations(query, () => names[next++]!)
  if (guarded.has(text)) return
  checkNames(text)
  const explained = `${explainAst}${enclosed(text)}`
  const lines = await connection.rows(explained, options).catch((error: unknown) => {
    const found = isDbError(error) ? syntaxError(error, explained) : undefined
    if (found === undefined || !isDbError(error)) throw error
    const offset = placeholderAt(query, names, found.at - explainAst.length - 1)
    throw withMessage(error, found.said, offset)
  })
  guard(
    lines.map(line => String(Object.values(line)[0])),
    names
  )
  guarded.add(text)
}

/** In parentheses no clause of a whole statement can stand: where its result goes, its format. */
function enclosed(text: string): string {
  return `(${text}\n)`
}

async function ask(
  { connection }: SqlDependencies,
  { explain }: SqlQuery,
  text: string,
  options: ReadOptions
): Promise<Reading> {
  const { types, ...plain } = options
  try {
    if (explain !== undefined) return await connection.read(`EXPLAIN indexes = 1 ${enclosed(text)}`, plain)
    const reading = await connection.read(enclosed(text), options)
    if (reading.columns.length > 0) return reading
    // Without a row the answer may be empty, and does not say which columns it would have.
    const described = await connection.rows(`DESCRIBE TABLE ${enclosed(text)}`, plain)
    const columns = described.map(({ name, type }) => ({
      name: String(name),
      type: types?.get(String(name)) ?? resultType(String(type))
    }))
    return { ...reading, columns }
  } catch (error) {
    throw isDbError(error) ? inPlainWords(error) : error
  }
}

/** Bytes and JSON are texts in the cluster; the table's definition tells which a column is. */
function typesOf({ relations }: SqlQuery): Map<string, ResultType> {
  const types = new Map<string, ResultType>()
  for (const { table } of relations) {
    for (const { name, physical, type } of table.columns) {
      for (const each of new Set([name, physical])) {
        if (type === 'Binary' || type === 'Json') types.set(each, type)
        else types.delete(each)
      }
    }
  }
  return types
}

/** The stretch of time rows must lie in, as far as a condition says so. */
function rangeOf(where: Condition | undefined): RowRange {
  if (where?.kind === 'time') return where
  if (where?.kind !== 'all') return {}
  return where.of.map(rangeOf).reduce(
    (range, { from = range.from, to = range.to }) => ({
      from: range.from === undefined || (from !== undefined && from > range.from) ? from : range.from,
      to: range.to === undefined || (to !== undefined && to < range.to) ? to : range.to
    }),
    {}
  )
}

function unsupported(what: string): DbError {
  return new DbError(
    'Unsupported',
    `${what} is not possible with the storage engine clickhouse: use the cluster's own means`
  )
}

/** Texts that passed the guard: plugins ask the same ones again and again. */
export class Guarded {
  readonly #texts = new Set<string>()

  has(text: string): boolean {
    return this.#texts.has(text)
  }

  add(text: string): void {
    if (text.length > maxKeptLength) return
    if (this.#texts.size >= maxKept) this.#texts.delete(this.#texts.values().next().value!)
    this.#texts.add(text)
  }
}

const maxKept = 1_000
const maxKeptLength = 10_000
