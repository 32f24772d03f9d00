// The schedule of groups: once per interval, at an offset of the group's own, without drift.
import { createHash } from 'node:crypto'
import { pause } from '../../../core/index.ts'

interface Schedule {
  /** Milliseconds. */
  readonly interval: number
  /** Determines the offset, so that groups are not all evaluated at once. */
  readonly name: string
}

/** Milliseconds from the beginning of an interval to the evaluation. */
function offsetOf({ interval, name }: Schedule): number {
  const hash = createHash('sha256').update(name).digest().readUInt32BE(0)
  return Math.floor((hash / 2 ** 32) * interval)
}

/**
 * Calls `evaluate` with the time of each interval until the signal fires; calls do not overlap, and `missed` is called with the number of
 * skipped intervals. If the clock is set back, the schedule starts anew.
 */
export async function keepSchedule(
  schedule: Schedule,
  evaluate: (time: number) => Promise<void>,
  missed: (count: number) => void,
  signal: AbortSignal
): Promise<void> {
  const { interval } = schedule
  const offset = offsetOf(schedule)
  const numberAt = (time: number) => Math.floor((time - offset) / interval)
  let last = numberAt(Date.now())
  while (!signal.aborted) {
    const wait = (last + 1) * interval + offset - Date.now()
    await pause(Math.min(Math.max(wait, 1), interval), { signal, ref: false }).catch(() => {})
    const number = numberAt(Date.now())
    if (number < last - 1) last = number
    if (signal.aborted || number <= last) continue
    if (number > last + 1) missed(number - last - 1)
    last = number
    await evaluate(number * interval + offset)
  }
}
