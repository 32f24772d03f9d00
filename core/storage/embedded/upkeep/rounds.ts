// Periodic work over all tables, one round after the other, with pauses for other work.
import { Pace } from '../../../pace.ts'
import { pause } from '../../../timer.ts'

interface Rounds {
  /** Ends the round under way; resolves when it is over. */
  stop(): Promise<void>
}

/** Rests are so many times as long as the rounds, where these are long. */
const share = 10

/** Begins after `interval` milliseconds. A round asks its pace, and ends with the reason of its signal. */
export function startRounds(interval: number, round: (pace: Pace) => Promise<void>): Rounds {
  const end = new AbortController()
  const work = async () => {
    const pace = new Pace(end)
    for (let rest = interval; ; ) {
      await pause(rest, { signal: end.signal, ref: false })
      const began = performance.now()
      await round(pace)
      rest = Math.max(interval, share * (performance.now() - began))
    }
  }
  const running = work().catch(error => {
    if (!end.signal.aborted) throw error
  })
  return {
    async stop() {
      end.abort()
      await running
    }
  }
}
