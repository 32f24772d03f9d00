// A statement that runs again and again over the rows written since the last time.
import type { ResultBatch } from '../../../model/batch.ts'
import type { Table } from '../../../model/table.ts'
import type { Follow, QueryResult, SqlQuery } from '../../engine.ts'
import { cancelled } from '../duckdb/errors.ts'
import { Follower } from '../memory/follower.ts'
import { Memtable, type MemtableRows } from '../memory/memtable.ts'
import { noRows, writtenRows } from './relation.ts'
import { type ReadDependencies, snapshotOf } from './snapshot.ts'
import { runStatement } from './statement.ts'

type FollowQuery = SqlQuery & { readonly follow: Follow }

export function follows(query: { readonly kind: string; readonly follow?: Follow }): query is FollowQuery {
  return query.follow !== undefined
}

/** Starts with the rows written after the call; `runOnce` answers over those that are there when it is called. */
export async function runFollow(
  parts: ReadDependencies,
  query: FollowQuery,
  signal: AbortSignal,
  runOnce: () => Promise<QueryResult>
): Promise<QueryResult> {
  const { table } = query.relations[0]!
  const follower = new Follower(query.follow.limit, query.follow.deletes === true)
  const data = parts.tables.getOrCreate(table)
  data.followers.add(follower)
  // Rows that come later belong to another memtable than those that are there, and nothing comes between the two.
  if (query.follow.existing) data.seal()
  const starting = query.follow.existing ? runOnce() : undefined
  let open = true
  const close = () => {
    open = false
    data.followers.delete(follower)
    follower.end()
    starting?.then(
      result => result.close(),
      () => {}
    )
  }
  try {
    const existing = await starting
    const { columns } = existing ?? (await ask(parts, query, noRows(table), signal))
    const next = async (): Promise<readonly ResultBatch[] | undefined> => {
      await follower.rest(query.follow.interval)
      if (signal.aborted) throw cancelled(signal)
      // An engine opened for reading only is replaced by one that can also write, and rows go to that one.
      if (!open || !parts.duckdb.isOpen()) return undefined
      const current = parts.catalog.tableById(table.id)
      if (current === undefined || parts.tables.find(current) !== data) return undefined
      const writes = follower.take()
      return writes.length === 0 ? [] : look(parts, query, current, writes, signal)
    }
    const batches = () => batchesOf(existing, next, columns.length, signal, close)
    return { columns, close, lost: () => follower.lost, batches }
  } catch (error) {
    close()
    throw error
  }
}

async function* batchesOf(
  existing: QueryResult | undefined,
  next: () => Promise<readonly ResultBatch[] | undefined>,
  columns: number,
  signal: AbortSignal,
  close: () => void
): AsyncGenerator<ResultBatch> {
  signal.addEventListener('abort', close, { once: true })
  const none = { rows: 0, columns: Array.from({ length: columns }, () => ({ values: [] })) }
  try {
    if (existing !== undefined) {
      yield* existing.batches()
      yield none
    }
    for (let batches = await next(); batches !== undefined; batches = await next()) {
      yield* batches
      yield none
    }
    if (signal.aborted) throw cancelled(signal)
  } finally {
    signal.removeEventListener('abort', close)
    close()
  }
}

/**
 * The answer for some rows, all of it: whoever reads slowly keeps no statement open. Rows that wait are limited, and what a query makes of
 * each has to be, too.
 */
async function look(
  parts: ReadDependencies,
  query: FollowQuery,
  table: Table,
  writes: readonly MemtableRows[],
  signal: AbortSignal
): Promise<readonly ResultBatch[]> {
  const snapshot = snapshotOf(parts, table, Date.now())
  const { registry } = parts.tables.find(table)!
  const memtable = new Memtable({ ...parts, copies: { bytes: 0 } }, snapshot.table, writes[0]!.seq)
  for (const rows of writes) memtable.add(snapshot.table, rows)
  const rows = await memtable.spoolInOrder(registry).finally(() => memtable.drop())
  try {
    const { batches } = await ask(parts, query, writtenRows(snapshot, rows, query.follow.deletes === true), signal)
    return batches
  } finally {
    rows.file.unpin()
  }
}

async function ask({ sql }: ReadDependencies, query: FollowQuery, rows: string, signal: AbortSignal) {
  const result = await runStatement(
    sql,
    query,
    () => rows,
    signal,
    () => {}
  )
  const batches: ResultBatch[] = []
  for await (const batch of result.batches()) if (batch.rows > 0) batches.push(batch)
  return { columns: result.columns, batches }
}
