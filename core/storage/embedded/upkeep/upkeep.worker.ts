// The thread of the upkeep: it sorts, merges and writes data files, so that this holds up nobody.
import { parentPort } from 'node:worker_threads'
import { isDbError } from '../../../errors.ts'
import { pause } from '../../../timer.ts'
import { collect } from '../../../workers/free.ts'
import { giveWay } from '../../../workers/give-way.ts'
import { arrayBytes, arrayGrowth } from '../../../workers/heap.ts'
import { failpoint } from '../failpoint.ts'
import { type FlushTask, flushRows } from './flush-rows.ts'
import { type MergeTask, mergeFiles, UnsortedInput } from './merge-files.ts'
import type { SortedFileFacts } from './sorted-file.ts'

export type UpkeepTask =
  | { readonly id: number; readonly flush: FlushTask }
  | { readonly id: number; readonly merge: MergeTask }

export interface UpkeepAnswer {
  readonly id: number
  /** Undefined where no row was left. */
  readonly file?: SortedFileFacts | undefined
  readonly error?: { readonly message: string; readonly isAboutRows: boolean; readonly isUnsorted: boolean }
}

giveWay('upkeep')
parentPort!.on('message', (task: UpkeepTask) => {
  if ('flush' in task) void answer(task.id, () => flush(task.flush))
  else void answer(task.id, () => merge(task.merge))
})

function flush(task: FlushTask): SortedFileFacts | undefined {
  try {
    return flushRows(task, () => {
      failpoint('flush.group')
      tidy('minor')
    })
  } finally {
    lastFlush = performance.now()
    tidy('minor')
  }
}

async function merge(task: MergeTask): Promise<SortedFileFacts | undefined> {
  restedAt = performance.now()
  try {
    return await mergeFiles(task, rest)
  } finally {
    // Pages of files have lived for too long for anything less.
    tidy('major')
  }
}

/** Milliseconds in which this thread leaves some 20 MB behind, and in which as much has become old; a look takes one, and some twenty. */
const untidy = { minor: 50, major: 1_000 } as const
const tidied = { minor: 0, major: 0 }

/** Bytes of arrays that the last look at all left. Those of rows with long texts get old before they are garbage. */
let arraysLeft = 0

function tidy(type: keyof typeof untidy): void {
  if (arrayBytes() > arraysLeft + arrayGrowth) type = 'major'
  else if (performance.now() - tidied[type] < untidy[type]) return
  collect(type)
  tidied[type] = performance.now()
  if (type === 'major') arraysLeft = arrayBytes()
}

/** Milliseconds. */
const maxPause = 200
/** Milliseconds after a flush in which others are taken to write. */
const busy = 10_000
let lastFlush = Number.NEGATIVE_INFINITY
/** When the merge under way began or rested last. */
let restedAt = 0

/** Between two row groups a flush that waits comes first; while others write, a merge rests as long as it works. */
async function rest(): Promise<void> {
  failpoint('compact.group')
  tidy('minor')
  const now = performance.now()
  const worked = now - restedAt
  if (now - lastFlush < busy) await pause(Math.min(worked, maxPause))
  else await new Promise(resolve => setImmediate(resolve))
  restedAt = performance.now()
}

async function answer(
  id: number,
  work: () => SortedFileFacts | undefined | Promise<SortedFileFacts | undefined>
): Promise<void> {
  try {
    parentPort!.postMessage({ id, file: await work() } satisfies UpkeepAnswer)
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    const about = { message, isAboutRows: isDbError(error), isUnsorted: error instanceof UnsortedInput }
    parentPort!.postMessage({ id, error: about } satisfies UpkeepAnswer)
  }
}
