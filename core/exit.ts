// The end of the process, whatever its threads are at.
import { existsSync } from 'node:fs'
import { flushCompileCache, getCompileCacheDir } from 'node:module'
import { after } from './timer.ts'
import { startWorker } from './workers/worker.ts'

const shell = '/bin/sh'
/** Milliseconds the main thread has to end the process before it is killed. */
const patience = 1_000

/**
 * Ends the process now. The runtime's own way waits for its threads, so a file operation that nobody answers (a full pipe, a share that is
 * gone) or a library that does not end would hold it for ever: everything is closed and synced before, so the process becomes one that
 * only ends with the code. Listeners for `exit` are called.
 */
export function exitNow(code: number): never {
  const isWatched = process.execArgv.concat(process.env['NODE_OPTIONS'] ?? '').some(flag => /-prof\b/.test(flag))
  // What watches the process writes its results at an orderly end; other systems have no such call.
  if (process.platform !== 'linux' || isWatched || process.env['NODE_V8_COVERAGE'] || !existsSync(shell)) {
    process.exit(code)
  }
  process.emit('exit', code)
  if (getCompileCacheDir() !== undefined) flushCompileCache()
  return process.execve!(shell, [shell, '-c', `exit ${code}`], {})
}

/** The latest end: after `milliseconds` the process says its last words and ends, also while its main thread stands still. */
export function exitWithin(milliseconds: number, code: number, sayWhy: () => void = () => {}): void {
  after(milliseconds, () => {
    sayWhy()
    exitNow(code)
  })
  const worker = startWorker(import.meta.url, 'exit', { workerData: milliseconds + patience })
  // Short of memory or threads it is missed, and the timer is all there is.
  worker.on('error', () => {})
  worker.unref()
}
