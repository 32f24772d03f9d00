// Polls the server while a page is open and keeps the last readings, so that rates can be drawn.
import { useEffect, useState } from 'preact/hooks'

export interface Reading<T> {
  /** Seconds since 1970. */
  readonly time: number
  readonly value: T
}

/** Calls `read` every `interval` milliseconds and keeps the last `kept` results, oldest first; `error` is that of the last call. */
export function useReadings<T>(read: () => Promise<T>, interval: number, kept: number) {
  const [readings, setReadings] = useState<readonly Reading<T>[]>([])
  const [error, setError] = useState<unknown>()
  useEffect(() => {
    let timer: number
    let gone = false
    const next = async () => {
      try {
        const value = await read()
        if (gone) return
        setError(undefined)
        setReadings(before => [...before.slice(1 - kept), { time: Date.now() / 1000, value }])
      } catch (reason) {
        if (!gone) setError(reason)
      }
      if (!gone) timer = window.setTimeout(next, interval)
    }
    void next()
    return () => {
      gone = true
      clearTimeout(timer)
    }
  }, [])
  return { readings, error }
}

/** How fast a counter grew between each reading and the one before, a second. A counter that starts again counts as 0. */
export function ratesOf<T>(readings: readonly Reading<T>[], counter: (value: T) => number): readonly number[] {
  return readings.slice(1).map((reading, i) => {
    const before = readings[i]!
    return Math.max(0, counter(reading.value) - counter(before.value)) / (reading.time - before.time)
  })
}
