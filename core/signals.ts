// What ends the process: SIGTERM and SIGINT, from its first moment on.
import { closingTime } from './defects.ts'
import { DbError } from './errors.ts'
import { exitNow, exitWithin } from './exit.ts'
import type { Running } from './start.ts'
import { after } from './timer.ts'

interface StopSignals {
  /** Fires at the first signal; for `start`. */
  readonly signal: AbortSignal
  /** From now on a signal closes this server. */
  follow(running: Running): void
}

/** One Ctrl-C may come twice: from the terminal, and passed on by npm. */
const sameKeystroke = 500

/**
 * Ends the process orderly on SIGTERM and SIGINT; another signal later ends it at once. A start that has not noticed after `grace`
 * milliseconds is ended as a power cut would end it, which every start after it can deal with.
 */
export function stopOnSignals(grace: number): StopSignals {
  const controller = new AbortController()
  let running: Running | undefined
  let stopping: number | undefined
  const stop = async (signal: NodeJS.Signals) => {
    if (stopping !== undefined) {
      if (performance.now() - stopping > sameKeystroke) exitNow(1)
      return
    }
    stopping = performance.now()
    controller.abort(new DbError('Suspended', `${signal} ended the start`))
    if (running === undefined) {
      after(grace, () => exitNow(0))
      return
    }
    const { config, log } = running.core
    log.info({ signal }, 'stopping')
    exitWithin(config.http.shutdown_grace + closingTime, 0, () => {
      log.error('the stop took too long and ends as a crash would, which loses nothing that is in the log')
    })
    await running.close()
    exitNow(0)
  }
  process.on('SIGTERM', stop).on('SIGINT', stop)
  return {
    signal: controller.signal,
    follow(server) {
      running = server
    }
  }
}
