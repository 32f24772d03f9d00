// Changes the log levels at run time, permanently or for a while.

import { after, type Timer } from '../timer.ts'
import type { Levels } from './levels.ts'
import type { RootLogger } from './log.ts'

export interface LogSwitch {
  current(): Levels
  /**
   * Returns the previous levels. With `milliseconds`, the levels return to the permanent ones after that time, unless they are changed again
   * before.
   */
  change(levels: Levels, milliseconds?: number): Levels
  close(): void
}

export function createLogSwitch(log: RootLogger): LogSwitch {
  let timer: Timer | undefined
  /** The permanent levels. */
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
