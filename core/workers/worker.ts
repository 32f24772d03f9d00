// Threads that run a module beside the one that starts them.
import { setFlagsFromString } from 'node:v8'
import { Worker, type WorkerOptions } from 'node:worker_threads'

/** MiB for young objects of a thread, three times a semi-space: most make few, and memory of their arrays goes with them, the sooner the better. */
const youngMiB = 12

// The flag of the main thread would take the place of the limit of every thread; that thread has read it by now.
setFlagsFromString('--max-semi-space-size=0')

/**
 * Starts `NAME.worker.ts`, which lies beside the caller's own file; `from` is the caller's `import.meta.url`. The built package has
 * `NAME.worker.js` there. Flags of the process, meant for its main thread, are not passed on. What the module imports is loaded anew in
 * every thread: `core/wire/index.ts` is small, `core/index.ts` is not. `resourceLimits` may give a thread that makes many young objects more room
 * for them. Its heap is given back when it rests (`tidy-thread.ts`).
 * A message that cannot be read here, such as objects too deep for the stack, is an `error` of the thread: who waits for it would wait for ever.
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
