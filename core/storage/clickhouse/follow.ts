// Live tails: the cluster sends no notifications, so it is polled for new row versions.
import { DbError } from '../../errors.ts'
import type { ResultBatch } from '../../model/batch.ts'
import type { ResultType } from '../../model/types.ts'
import { pause } from '../../timer.ts'
import type { QueryResult, SqlQuery } from '../engine.ts'
import type { Reading } from './connection.ts'
import { versionColumn } from './definition.ts'
import { cancelled } from './errors.ts'
import { quoteName } from './names.ts'
import type { QueryDependencies } from './query.ts'
import { relation } from './relation.ts'
import { fillRelations, requireSame } from './statement.ts'

/** Milliseconds from assigning a version to its visibility at most; each poll goes back this far. */
const overlap = 10_000n
/** Bits of a version below its milliseconds. */
const versionBits = 22n
/** Maximum versions per poll; the rest follows in the next one. */
const maxVersions = 100_000

type Ask = (text: string, types: ReadonlyMap<string, ResultType>) => Promise<Reading>

/** Rows written from now on, each version by itself, polled until the result is closed or the table is gone. */
export async function pollRows(
  parts: QueryDependencies,
  query: SqlQuery,
  signal: AbortSignal,
  ask: Ask
): Promise<QueryResult> {
  const { interval, deletes, existing } = query.follow!
  const written = deletes ? 'all' : 'puts'
  const table = requireSame(parts.catalog, query.relations[0]!.table)
  const version = quoteName(versionColumn)
  const rows = (condition: string, of: 'all' | 'puts' | 'numbered') =>
    `(SELECT * EXCEPT (${version}) FROM ${relation(parts, table, {}, { versions: of })} WHERE ${condition})`
  const types = new Map<string, ResultType>()
  for (const { physical, type } of table.columns) if (type === 'Binary' || type === 'Json') types.set(physical, type)
  const look = (condition: string, of: 'all' | 'puts' | 'numbered' = written) =>
    ask(
      fillRelations(query, () => rows(condition, of)),
      types
    )
  const since = (from: bigint) =>
    parts.connection.rows(
      `SELECT ${version} AS v FROM ${relation(parts, table, {}, { versions: written })} WHERE ${version} >= ${from} ORDER BY v LIMIT ${maxVersions}`,
      { signal }
    )
  const floor = () => (BigInt(Date.now()) - overlap) << versionBits
  let from = floor()
  let seen = new Set((await since(from)).map(row => row['v'] as bigint))
  // Existing rows are those with versions known by now; a row overwritten meanwhile comes with its new version.
  const known = `${version} < ${from}${seen.size > 0 ? ` OR ${version} IN (${[...seen].join(', ')})` : ''}`
  const head = await (existing ? look(known, 'numbered') : look('0'))
  if (!existing) head.close()
  const { columns } = head
  const emptied = parts.catalog.emptied(table)
  let closed = false
  async function* batches(): AsyncGenerator<ResultBatch> {
    if (existing) yield* head.batches()
    while (!closed) {
      if (signal.aborted) throw cancelled(signal)
      await pause(interval, { signal }).catch(() => {})
      if (signal.aborted) throw cancelled(signal)
      if (closed) return
      try {
        parts.catalog.current(table)
        // Removed rows leave no trace in the rows, so the reader must start anew.
        if (parts.catalog.emptied(table) !== emptied) return
        const fresh = (await since(from)).map(row => row['v'] as bigint)
        const unseen = fresh.filter(each => !seen.has(each))
        if (unseen.length > 0) {
          const reading = await look(`${version} IN (${unseen.join(', ')})`)
          yield* reading.batches()
        }
        seen = new Set([...seen, ...unseen])
        const next = floor()
        if (next > from) {
          from = next
          seen = new Set([...seen].filter(each => each >= from))
        }
      } catch (error) {
        if (error instanceof DbError && (error.code === 'TableNotFound' || error.code === 'RequestOutdated')) return
        throw error
      }
      yield { rows: 0, columns: columns.map(() => ({ values: [] })) }
    }
  }
  return {
    columns,
    lost: () => 0,
    batches,
    close() {
      closed = true
      head.close()
    }
  }
}
