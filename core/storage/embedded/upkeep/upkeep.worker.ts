// The thread of the upkeep: it sorts, merges and writes data files, so that this holds up nobody.
import { parentPort } from 'node:worker_threads'
import { isDbError } from '../../../errors.ts'
import { reach } from '../fault.ts'
import { type FlushTask, flushRows } from './flush-rows.ts'
import type { SortedFileFacts } from './sorted-file.ts'

export type UpkeepTask = { readonly id: number; readonly flush: FlushTask }

export interface UpkeepAnswer {
  readonly id: number
  /** Undefined where no row was left. */
  readonly file?: SortedFileFacts | undefined
  readonly error?: { readonly message: string; readonly isAboutRows: boolean }
}

parentPort!.on('message', ({ id, flush }: UpkeepTask) => answer(id, () => flushRows(flush, () => reach('flush.group'))))

function answer(id: number, work: () => SortedFileFacts | undefined): void {
  try {
    parentPort!.postMessage({ id, file: work() } satisfies UpkeepAnswer)
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    parentPort!.postMessage({ id, error: { message, isAboutRows: isDbError(error) } } satisfies UpkeepAnswer)
  }
}
