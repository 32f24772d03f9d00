// Threads that run a module beside the one that starts them.
import { Worker, type WorkerOptions } from 'node:worker_threads'

/**
 * Starts `NAME.worker.ts`, which lies beside the caller's own file; `from` is the caller's `import.meta.url`. The built package has
 * `NAME.worker.js` there. Flags of the process, meant for its main thread, are not passed on. What the module imports is loaded anew in
 * every thread: `core/wire/index.ts` is small, `core/index.ts` is not.
 */
export function startWorker(from: string, name: string, options: WorkerOptions = {}): Worker {
  const ending = from.endsWith('.ts') ? 'ts' : 'js'
  return new Worker(new URL(`./${name}.worker.${ending}`, from), { execArgv: [], ...options })
}
