// Makes rows in memory available to the reading threads: by sharing their memory if possible, else by copying.
import type { Steps } from '../../../pace.ts'
import { areSharedNumbers, isShared } from '../memory/shared-memory.ts'
import { asRows, collect } from './gather.ts'
import { mayHold, type SampleQuery, type SampleRows } from './sample-rows.ts'

/**
 * The writes that may hold wanted samples, in order. Columns in shared memory are passed as they are; the reader must keep them pinned. Of
 * other columns, and of writes between such, the wanted rows are copied.
 */
export function* shareSamples(writes: readonly SampleRows[], query: SampleQuery): Steps<readonly SampleRows[]> {
  const pieces: SampleRows[] = []
  let own: SampleRows[] = []
  function* copy(): Steps<void> {
    if (own.length > 0) pieces.push(asRows(yield* collect(own, query), query.wanted.tsids, query))
    own = []
  }
  for (const write of writes) {
    if (write.rows === 0) continue
    if (!mayHold(write, query, SharedArrayBuffer)) continue
    const shared = asShared(write, query)
    if (shared === undefined) {
      own.push(write)
      continue
    }
    yield* copy()
    pieces.push(shared)
  }
  yield* copy()
  return pieces
}

/** The rows with the wanted columns only; undefined if one of them is not in shared memory. */
function asShared({ rows, seq, op, tsids, columns, bounds }: SampleRows, query: SampleQuery): SampleRows | undefined {
  if (!isShared(tsids)) return undefined
  const asked: SampleRows['columns'] = new Map(
    [query.time, ...query.values].flatMap(({ id }) => {
      const data = columns.get(id)
      return data === undefined ? [] : [[id, data] as const]
    })
  )
  if (![...asked.values()].every(areSharedNumbers)) return undefined
  return { rows, seq, op, tsids, columns: asked, ...(bounds && { bounds }) }
}
