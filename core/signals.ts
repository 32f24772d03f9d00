// Ends the process on SIGTERM and SIGINT, from its first moment on.
import { closingTime } from './defects.ts'
import { DbError } from './errors.ts'
import { exitNow, exitWithin } from './exit.ts'
import type { Running } from './start.ts'
import { after } from './timer.ts'

interface StopSignals {
  /** Fires at the first signal; passed to `start`. */
  readonly signal: AbortSignal
  /** From now on, signals close this server. */
  follow(running: Running): void
}

/** Ctrl-C may arrive twice: from the terminal, and passed on by npm. */
const sameKeystroke = 500

/**
 * Stops the process in order on SIGTERM and SIGINT; a second signal ends it at once. If a start does not react within `grace` milliseconds,
 * the process is killed; every start can recover from that.
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
