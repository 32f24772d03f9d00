// What the statements of one request share, and how one of them reads.
import type { RecordsAnswer, RequestContext, Store } from '../../core/index.ts'
import { confine } from './confine.ts'
import type { Token } from './token.ts'

export interface Session {
  readonly store: Store
  /** Changed by USE and SET for the statements behind. */
  readonly ctx: RequestContext
  readonly sql: string
}

/** Runs a query; its rows come as they are read. `prefix` goes before its text. */
export async function runQuery(session: Session, tokens: readonly Token[], prefix = ''): Promise<RecordsAnswer> {
  const { store, ctx, sql } = session
  const { text, relations, names } = confine({ store, db: ctx.db, sql }, tokens)
  const result = await store.query(ctx, {
    kind: 'sql',
    text: prefix + text,
    relations: relations.map(relation => ({
      ...relation,
      start: relation.start + prefix.length,
      end: relation.end + prefix.length
    })),
    timezone: ctx.timezone
  })
  return {
    kind: 'records',
    columns: result.columns.map(({ name, type }) => ({ name: names.get(name) ?? name, type })),
    batches: () => result.batches()
  }
}

/** All values of an answer, row by row. For few rows. */
export async function readRows(answer: RecordsAnswer): Promise<unknown[][]> {
  const rows: unknown[][] = []
  for await (const { rows: count, columns } of answer.batches()) {
    for (let i = 0; i < count; i++) {
      rows.push(
        columns.map(({ values, valid }) => (valid === undefined || valid[i >> 3]! & (1 << (i & 7)) ? values[i] : null))
      )
    }
  }
  return rows
}
