// Prepares rows in memory for the reading threads: shared where possible, copied otherwise.
import { areSharedNumbers, isShared } from '../memory/shared-memory.ts'
import { asRows, collect } from './gather.ts'
import { mayHold, type SampleQuery, type SampleRows } from './sample-rows.ts'

/**
 * What of the writes may hold samples, in their order. Columns in memory that threads share go as they are: who reads them keeps them
 * pinned. Of others, and of rows that lie between such, the rows that are asked for are copied.
 */
export function shareSamples(writes: readonly SampleRows[], query: SampleQuery): readonly SampleRows[] {
  const pieces: SampleRows[] = []
  let own: SampleRows[] = []
  const copy = () => {
    if (own.length > 0) pieces.push(asRows(collect(own, query), query.wanted.tsids, query))
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
    copy()
    pieces.push(shared)
  }
  copy()
  return pieces
}

/** With the columns that are asked for alone; undefined where one of them is not in memory that threads share. */
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
