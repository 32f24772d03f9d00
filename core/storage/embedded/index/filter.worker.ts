// The thread in which data files become filters: a second of it is a gigabyte's tenth, too long for the thread that answers requests.
import { parentPort } from 'node:worker_threads'
import { type AskedFilter, type ColumnFilters, fileFilters } from './file-filters.ts'

export interface FilterTask {
  readonly path: string
  readonly asked: readonly AskedFilter[]
}

export type FilterAnswer = { readonly filters: readonly ColumnFilters[] } | { readonly error: string }

parentPort!.on('message', ({ path, asked }: FilterTask) => {
  try {
    const filters = fileFilters(path, asked)
    const memory = filters.flat().flatMap(words => (words === undefined ? [] : [words.buffer as ArrayBuffer]))
    parentPort!.postMessage({ filters } satisfies FilterAnswer, memory)
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    parentPort!.postMessage({ error: message } satisfies FilterAnswer)
  }
})
