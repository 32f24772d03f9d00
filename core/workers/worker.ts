// Starts threads.
import { setFlagsFromString } from 'node:v8'
import { Worker, type WorkerOptions } from 'node:worker_threads'

/**
 * MiB for young objects of a thread (three times a semi-space). Small, because most threads make few objects, and freeing their arrays needs
 * frequent collections.
 */
const youngMiB = 12

/** Milliseconds after which a thread that works beside requests ends where it has nothing to do: it keeps some 15 MB. */
export const idleTime = 10_000

// The main thread has read its flag by now; reset it, because it would override `resourceLimits` of threads.
setFlagsFromString('--max-semi-space-size=0')

/**
 * Starts the thread module `NAME.worker.ts` beside the caller's file (in the built package `NAME.worker.js`); `from` is the caller's
 * `import.meta.url`. Flags of the process are not passed on. Each thread loads its imports anew: `core/wire/index.ts` is small,
 * `core/index.ts` is not. `resourceLimits` may allow more memory for young objects. An idle thread's garbage is collected (`tidy-thread.ts`).
 * A message that cannot be deserialised, for example objects nested too deeply, becomes an `error` of the thread, because otherwise its
 * receiver would wait for ever.
 */
export function startWorker(from: string, name: string, options: WorkerOptions = {}): Worker {
  const ending = from.endsWith('.ts') ? 'ts' : 'js'
  const resourceLimits = { maxYoungGenerationSizeMb: youngMiB, ...options.resourceLimits }
  const execArgv = ['--import', new URL(`./tidy-thread.${ending}`, import.meta.url).href]
  const worker = new Worker(new URL(`./${name}.worker.${ending}`, from), { execArgv, ...options, resourceLimits })
  worker.on('messageerror', error => {
    worker.emit('error', error)
    void worker.terminate()
  })
  return worker
}
