// The wider span of time that zooming out shows.
import type { TimeSpan } from '../../time.ts'

/** Twice as long, not beyond now. */
export function zoomedOut({ from, to }: TimeSpan): TimeSpan {
  const half = (to - from) / 2
  return { from: from - half, to: Math.min(to + half, Math.max(Date.now(), to)) }
}
