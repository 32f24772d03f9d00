// Changes the levels of the log while it is open, for good or for a while.

import { after, type Timer } from '../timer.ts'
import type { Levels } from './levels.ts'
import type { RootLogger } from './log.ts'

export interface LogSwitch {
  current(): Levels
  /**
   * Answers the levels there were. With `milliseconds` those from before come back after that time, unless the levels are changed again:
   * a change for a while on top of another leads back to what was before both.
   */
  change(levels: Levels, milliseconds?: number): Levels
  close(): void
}

export function createLogSwitch(log: RootLogger): LogSwitch {
  let timer: Timer | undefined
  /** What counts when no change for a while is on. */
  let base = log.getLevels()
  const stop = () => {
    timer?.stop()
    timer = undefined
  }
  const back = () => {
    stop()
    log.setLevels(base)
  }
  return {
    current: () => log.getLevels(),
    change(levels, milliseconds) {
      const before = log.getLevels()
      stop()
      log.setLevels(levels)
      if (milliseconds === undefined) base = levels
      else timer = after(milliseconds, back).unref()
      return before
    },
    close: stop
  }
}
