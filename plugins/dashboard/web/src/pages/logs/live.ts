// Live tail: new lines, pausing, and lines lost because too many arrived.
import { useCallback, useEffect, useState } from 'preact/hooks'
import { type LogSelection, type TailEvent, tailLogs } from '../../api/logs.ts'
import { writeJson } from '../../cell.ts'

type Rows = readonly (readonly unknown[])[]

/** Lines kept at most. */
const maxLines = 2000

interface State {
  readonly phase: 'off' | 'connecting' | 'open' | 'ended'
  /** The newest first. */
  readonly rows: Rows
  /** Came while it was paused; the newest first. */
  readonly waiting: Rows
  readonly isPaused: boolean
  /** Lines that came and were not kept. */
  readonly skipped: number
  /** Lines the server left out, because this page read too slowly. */
  readonly lost: number
  /** The number of connections so far. Lines loaded before the present one began may have a gap after them. */
  readonly begun: number
  readonly reason?: string | undefined
  readonly error?: unknown
}

export interface Live extends State {
  pause(): void
  resume(): void
  connect(): void
}

const off: State = { phase: 'off', rows: [], waiting: [], isPaused: false, skipped: 0, lost: 0, begun: 0 }

export function useLive(selection: LogSelection, isOn: boolean): Live {
  const [state, setState] = useState<State>(off)
  const [attempt, setAttempt] = useState(0)
  useEffect(() => {
    setState(({ begun }) => ({ ...off, begun, phase: isOn ? 'connecting' : 'off' }))
    if (!isOn) return undefined
    const left = new AbortController()
    void follow(selection, left.signal, change => {
      if (!left.signal.aborted) setState(change)
    })
    return () => left.abort()
  }, [selection, isOn, attempt])
  const pause = useCallback(() => setState(before => ({ ...before, isPaused: true })), [])
  const resume = useCallback(() => setState(resumed), [])
  const connect = useCallback(() => setAttempt(before => before + 1), [])
  return { ...state, pause, resume, connect }
}

async function follow(
  selection: LogSelection,
  signal: AbortSignal,
  tell: (change: (before: State) => State) => void
): Promise<void> {
  try {
    for await (const event of tailLogs(selection, signal)) tell(before => after(before, event))
    tell(before => ({ ...before, phase: 'ended', reason: before.reason ?? 'the connection ended' }))
  } catch (error) {
    tell(before => ({ ...before, phase: 'ended', error }))
  }
}

function after(before: State, event: TailEvent): State {
  if (event.kind === 'schema') return { ...before, phase: 'open', begun: before.begun + 1 }
  if (event.kind === 'lost') return { ...before, lost: before.lost + event.rows }
  if (event.kind === 'end') return { ...before, reason: event.reason }
  const key = before.isPaused ? 'waiting' : 'rows'
  const all = [...event.rows.toReversed(), ...before[key]]
  return { ...before, [key]: all.slice(0, maxLines), skipped: before.skipped + Math.max(0, all.length - maxLines) }
}

function resumed(before: State): State {
  const all = [...before.waiting, ...before.rows]
  const skipped = before.skipped + Math.max(0, all.length - maxLines)
  return { ...before, isPaused: false, rows: all.slice(0, maxLines), waiting: [], skipped }
}

/** Puts new lines before the loaded ones, without duplicates; where some were lost, lines older than the gap are dropped. */
export function joined({ rows, skipped }: State, loaded: Rows): Rows {
  if (rows.length === 0) return loaded
  if (skipped > 0) return rows
  const known = new Set(rows.map(row => writeJson(row)))
  return [...rows, ...loaded.filter(row => !known.has(writeJson(row)))]
}
