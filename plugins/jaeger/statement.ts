// Builds SQL: names are quoted, values are parameters, rows are plain values.
import {
  type Condition,
  type Dialect,
  isValid,
  type QueryResult,
  type Relation,
  type SqlParameters,
  type Table
} from '../../core/index.ts'
import type { Source } from './source.ts'

/** A piece of a statement: text, or a table. */
export type Piece = string | From

interface From {
  readonly table: Table
  readonly alias: string
  /** A condition that every needed row meets. */
  readonly where?: Condition
}

/** Runs the statement; closing the result, or reading it to its end, frees it. */
export function run(
  { store, ctx }: Pick<Source, 'store' | 'ctx'>,
  pieces: readonly Piece[],
  { values: parameters }: SqlParameters
): Promise<QueryResult> {
  const relations: Relation[] = []
  let text = ''
  for (const piece of pieces) {
    if (typeof piece === 'string') {
      text += piece
      continue
    }
    // The engine replaces the name by the table's rows.
    relations.push({ start: text.length, end: text.length + 1, ...piece })
    text += 't'
  }
  return store.query(ctx, { kind: 'sql', text, relations, timezone: 'UTC', parameters })
}

/** All rows, value by value. */
export async function* rowsOf(result: QueryResult): AsyncGenerator<readonly unknown[]> {
  for await (const { rows, columns } of result.batches()) {
    for (let i = 0; i < rows; i++) {
      yield columns.map(({ values, valid }) => (isValid(valid, i) ? (values[i] ?? null) : null))
    }
  }
}

/** A column by the name users know. */
export function column({ quoteName }: Dialect, { columns }: Table, name: string): string {
  return quoteName(columns.find(each => each.name === name)!.physical)
}

/** An expression for nanoseconds since 1970. */
export function time(dialect: Dialect, value: bigint): string {
  return dialect.time('TimestampNanosecond', value, String)
}
