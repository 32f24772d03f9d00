// The lines of one table that the address asks for.
import { useEffect, useMemo, useState } from 'preact/hooks'
import { queryLogs } from '../../api/logs.ts'
import type { SqlResult } from '../../api/sql.ts'
import { Problem } from '../../components/problem.tsx'
import { change, parameters } from '../../router.ts'
import { useLoaded } from '../../task.ts'
import { currentSpan, formatDuration, timeWords } from '../../time.ts'
import { Fields } from './fields.tsx'
import { FilterBar } from './filter-bar.tsx'
import { readFilters } from './filters.ts'
import { Histogram } from './histogram.tsx'
import { findLevel } from './levels.ts'
import { LineDetails } from './line-details.tsx'
import { lineIds } from './line-id.ts'
import { Lines } from './lines.tsx'
import { joined, useLive } from './live.ts'
import { LiveBar } from './live-bar.tsx'
import { selectionOf } from './search.ts'
import type { LogTable } from './tables.ts'
import { timeFilter } from './time-filter.ts'

/** Lines shown at first; those to see more ask for twice as many. */
const first = 500
/** Milliseconds after which a live page counts anew. */
const recount = 10_000

export interface ViewProps {
  readonly table: LogTable
  readonly isLive: boolean
  /** Grows whenever all is to be loaded anew. */
  readonly round: number
}

export function View({ table, isLive, round }: ViewProps) {
  const read = (name: string) => parameters.value.get(name) ?? ''
  const [text, filterText, size] = [read('q'), read('f'), Number(read('rows')) || first]
  const ignoresCase = read('case') === 'any'
  const filters = useMemo(() => readFilters(filterText), [filterText])
  const selection = useMemo(
    () => selectionOf(table, { text, ignoresCase, filters }),
    [table, text, ignoresCase, filters]
  )
  const [counted, setCounted] = useState(0)
  const live = useLive(selection, isLive)
  const span = useMemo(() => currentSpan(), [timeWords.value, selection, round, isLive, live.begun])
  const countSpan = useMemo(() => currentSpan(), [span, counted])
  useEffect(() => {
    if (!isLive) return undefined
    const timer = setInterval(() => setCounted(before => before + 1), recount)
    return () => clearInterval(timer)
  }, [isLive])

  const found = useLoaded(
    signal => queryLogs({ ...selection, time_filter: timeFilter(span), limit: { fetch: size } }, signal),
    [selection, span, size]
  )
  const columns = found.value?.columns ?? table.columns
  const level = useMemo(() => findLevel(table.columns, found.value?.rows ?? []), [table, found.value])
  const rows = useMemo(() => joined(live, found.value?.rows ?? []), [live.rows, live.skipped, found.value])
  const timeAt = columns.findIndex(({ name }) => name === table.time.name)
  const ids = useMemo(() => lineIds(rows, timeAt), [rows, timeAt])
  const chosen = parameters.value.get('line')
  const shape = { table, columns, level }
  return (
    <>
      <FilterBar table={table} text={text} ignoresCase={ignoresCase} filters={filters} />
      <Histogram table={table} selection={selection} level={level} span={countSpan} />
      {isLive && <LiveBar live={live} />}
      {found.error !== undefined && <Problem error={found.error} />}
      <div class="columns">
        <Fields table={table} selection={selection} span={span} level={level} />
        <section class="stack">
          <p class="quiet" role="status">
            {found.value && found.error === undefined && statusOf(found.value, rows.length)}
            {found.isRunning && ' Loading …'}
          </p>
          {rows.length > 0 && <Lines {...shape} rows={rows} ids={ids} chosen={chosen} />}
          {rows.length === 0 && found.value && found.error === undefined && <Empty isLive={isLive} />}
          {found.value && found.value.rows.length >= size && (
            <button type="button" disabled={found.isRunning} onClick={() => change({ rows: String(size * 2) }, true)}>
              Load more
            </button>
          )}
        </section>
      </div>
      {chosen !== null && <LineDetails key={chosen} {...shape} id={chosen} rows={rows} ids={ids} />}
    </>
  )
}

function statusOf({ took }: SqlResult, rows: number): string {
  return `${rows.toLocaleString('en')} lines in ${formatDuration(took)}, the newest first.`
}

function Empty({ isLive }: { readonly isLive: boolean }) {
  if (isLive) return <p class="empty">Waiting for new lines …</p>
  return <p class="empty">No lines in this time. Choose a longer time, or take filters away.</p>
}
