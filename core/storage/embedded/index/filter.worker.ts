// The thread in which data files become filters: a second of it is a gigabyte's tenth, too long for the thread that answers requests.

import { parentPort } from 'node:worker_threads'
import { giveWay } from '../../../workers/give-way.ts'
import { type AskedCounts, type AskedFilter, type ColumnFilters, readFilters } from './file-filters.ts'
import type { HeadNotes } from './format.ts'

export interface FilterTask {
  readonly path: string
  readonly asked: readonly AskedFilter[]
  /** Whose values are counted, into the file beside it. */
  readonly counts?: AskedCounts
}

export interface BuiltIndexes {
  readonly filters: readonly ColumnFilters[]
  readonly notes: HeadNotes
}

export type FilterAnswer = BuiltIndexes | { readonly error: string }

giveWay('upkeep')
parentPort!.on('message', ({ path, asked, counts }: FilterTask) => {
  try {
    const built = readFilters(path, asked, counts)
    const memory = built.filters.flat().flatMap(words => (words === undefined ? [] : [words.buffer as ArrayBuffer]))
    parentPort!.postMessage(built satisfies FilterAnswer, memory)
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    parentPort!.postMessage({ error: message } satisfies FilterAnswer)
  }
})
