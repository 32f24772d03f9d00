// Ends the process, whatever its threads do.
import { existsSync } from 'node:fs'
import { flushCompileCache, getCompileCacheDir } from 'node:module'
import { after } from './timer.ts'
import { startWorker } from './workers/worker.ts'

const shell = '/bin/sh'
/** Milliseconds the main thread has to end the process before it is killed. */
const patience = 1_000

/**
 * Ends the process at once. Node's own exit waits for threads, so a hanging file operation (a full pipe, an unreachable share) or library
 * could block it for ever. Everything is closed and synced before, so the process image is replaced by a program that only exits with the
 * code. Listeners for `exit` are called.
 */
export function exitNow(code: number): never {
  const isWatched = process.execArgv.concat(process.env['NODE_OPTIONS'] ?? '').some(flag => /-prof\b/.test(flag))
  // Profilers and coverage tools write their results at a normal exit; systems other than Linux lack the call.
  if (process.platform !== 'linux' || isWatched || process.env['NODE_V8_COVERAGE'] || !existsSync(shell)) {
    process.exit(code)
  }
  process.emit('exit', code)
  if (getCompileCacheDir() !== undefined) flushCompileCache()
  return process.execve!(shell, [shell, '-c', `exit ${code}`], {})
}

/** Ends the process after `milliseconds` at the latest, with its last messages, even if the main thread hangs. */
export function exitWithin(milliseconds: number, code: number, sayWhy: () => void = () => {}): void {
  after(milliseconds, () => {
    sayWhy()
    exitNow(code)
  })
  const worker = startWorker(import.meta.url, 'exit', { workerData: milliseconds + patience })
  // If no thread can be started, only the timer is left.
  worker.on('error', () => {})
  worker.unref()
}
