// The lines of a table that the address asks for, loaded and followed.
import { useEffect, useMemo, useState } from 'preact/hooks'
import { type LogSelection, queryLogs } from '../../api/logs.ts'
import type { SqlResult } from '../../api/sql.ts'
import { findLevel } from '../../levels.ts'
import type { LogTable } from '../../log-tables.ts'
import { type Task, useLoaded } from '../../task.ts'
import { currentSpan, type TimeSpan, timeWords } from '../../time.ts'
import { timeFilter } from '../../time-filter.ts'
import { lineIds } from './line-id.ts'
import type { LineSchema } from './lines.tsx'
import { joined, type Live, useLive } from './live.ts'
import { isOldestFirst } from './look-menu.tsx'
import { type Search, selectionOf } from './search.ts'

/** Milliseconds after which a live page counts anew. */
const recount = 10_000

const none: SqlResult['rows'] = []

interface LinesAsked {
  readonly table: LogTable
  readonly search: Search
  /** Lines loaded at most. */
  readonly size: number
  readonly isLive: boolean
}

interface LinesFound {
  readonly selection: LogSelection
  readonly span: TimeSpan
  /** Goes on while lines are followed. */
  readonly countSpan: TimeSpan
  readonly found: Task<SqlResult>
  readonly live: Live
  readonly schema: LineSchema
  /** Loaded and followed, the newest first. */
  readonly rows: SqlResult['rows']
  readonly ids: readonly string[]
}

export function useLines({ table, search, size, isLive }: LinesAsked): LinesFound {
  const selection = useMemo(() => selectionOf(table, search), [table, search])
  const isTurned = isOldestFirst()
  const live = useLive(selection, isLive)
  const span = useMemo(() => currentSpan(), [timeWords.value, selection, isLive, live.begun])
  const found = useLoaded(
    async signal => {
      const query = { ...selection, time_filter: timeFilter(span), limit: { fetch: size } }
      if (!isTurned) return queryLogs(query, signal)
      const order_by = [{ expr: { NamedIdent: table.time.name }, order: 'asc' }]
      const result = await queryLogs({ ...query, order_by }, signal)
      return { ...result, rows: result.rows.toReversed() }
    },
    [selection, span, size, isTurned]
  )
  const columns = found.value?.columns ?? table.columns
  const loaded = found.error === undefined ? (found.value?.rows ?? none) : none
  const level = useMemo(() => findLevel(columns, loaded), [columns, loaded])
  const rows = useMemo(() => joined(live, loaded), [live.rows, live.skipped, loaded])
  const timeAt = columns.findIndex(({ name }) => name === table.time.name)
  const ids = useMemo(() => lineIds(rows, timeAt), [rows, timeAt])
  return {
    selection,
    span,
    countSpan: useCountSpan(span, isLive),
    found,
    live,
    schema: { table, columns, level },
    rows,
    ids
  }
}

function useCountSpan(span: TimeSpan, isLive: boolean): TimeSpan {
  const [counted, setCounted] = useState(0)
  useEffect(() => {
    if (!isLive) return undefined
    const timer = setInterval(() => setCounted(before => before + 1), recount)
    return () => clearInterval(timer)
  }, [isLive])
  return useMemo(() => (isLive ? currentSpan() : span), [span, counted, isLive])
}
