// Draws an uploaded heap dump in a thread with limits of its own.
import { after, DbError, startWorker } from '../../../core/index.ts'
import type { SymbolAnswer, SymbolTask } from './symbol.worker.ts'

/** Milliseconds for the largest dumps. */
const timeLimit = 60_000

/** Heap of the thread in MiB: parsed numbers take about five times the bytes of their text. */
const memoryLimit = (bytes: number) => 128 + Math.ceil((8 * bytes) / 2 ** 20)

/** The flame graph as SVG. Throws DbError `InvalidArguments` for an unreadable dump, and the signal's reason. */
export async function drawDump(task: SymbolTask, signal: AbortSignal): Promise<string> {
  const worker = startWorker(import.meta.url, 'symbol', {
    workerData: task,
    resourceLimits: { maxOldGenerationSizeMb: memoryLimit(task.limit) }
  })
  const answered = Promise.withResolvers<SymbolAnswer>()
  worker.once('message', answered.resolve)
  worker.once('error', cause => answered.reject(tooHard('it took more memory than it may', cause)))
  worker.once('exit', () => answered.reject(tooHard('its thread ended')))
  const timer = after(timeLimit, () => answered.reject(tooHard(`it took more than ${timeLimit / 1000} s`)))
  const stop = () => answered.reject(signal.reason)
  signal.addEventListener('abort', stop)
  try {
    signal.throwIfAborted()
    const answer = await answered.promise
    if ('svg' in answer) return answer.svg
    throw new DbError('InvalidArguments', answer.error, { status: answer.status })
  } finally {
    timer.stop()
    signal.removeEventListener('abort', stop)
    await worker.terminate()
  }
}

function tooHard(what: string, cause?: unknown): DbError {
  return new DbError('InvalidArguments', `the dump cannot be drawn: ${what}`, { status: 413, cause })
}
