// Asynchronous work for a part of the page: one at a time, a new one cancels the one before.
import { useCallback, useEffect, useRef, useState } from 'preact/hooks'

export interface Task<T> {
  /** The last result; kept while the next one is loaded. */
  readonly value: T | undefined
  readonly error: unknown
  readonly isRunning: boolean
  /** Milliseconds since 1970 at which it began. */
  readonly since: number
  run(work: (signal: AbortSignal) => Promise<T>): Promise<void>
  cancel(): void
  /** Forgets the last result, too. */
  clear(): void
}

let running = 0

/** Whether anything is being loaded. Periodic refreshes wait for it: else a load that takes longer than the period would be restarted for ever. */
export function isLoading(): boolean {
  return running > 0
}

export function useTask<T>(): Task<T> {
  const [state, setState] = useState<Pick<Task<T>, 'value' | 'error' | 'isRunning' | 'since'>>({
    value: undefined,
    error: undefined,
    isRunning: false,
    since: 0
  })
  const current = useRef<AbortController>(undefined)
  const cancel = useCallback(() => {
    current.current?.abort()
    current.current = undefined
    setState(before => ({ ...before, isRunning: false }))
  }, [])
  const clear = useCallback(() => {
    cancel()
    setState({ value: undefined, error: undefined, isRunning: false, since: 0 })
  }, [])
  const run = useCallback(async (work: (signal: AbortSignal) => Promise<T>) => {
    current.current?.abort()
    const mine = new AbortController()
    current.current = mine
    setState(before => ({ ...before, error: undefined, isRunning: true, since: Date.now() }))
    running++
    try {
      const value = await work(mine.signal)
      if (current.current === mine) setState(before => ({ ...before, value, isRunning: false }))
    } catch (error) {
      if (current.current === mine) setState(before => ({ ...before, error, isRunning: false }))
    } finally {
      running--
    }
  }, [])
  useEffect(() => () => current.current?.abort(), [])
  return { ...state, run, cancel, clear }
}

/** A task that runs at once, and again whenever one of the inputs changes. */
export function useLoaded<T>(work: (signal: AbortSignal) => Promise<T>, inputs: readonly unknown[]): Task<T> {
  const task = useTask<T>()
  useEffect(() => void task.run(work), inputs)
  return task
}
