// Lines of a trace, in whichever table they are: the one that has most of them is shown.
import { useEffect } from 'preact/hooks'
import { countBy, queryLogs } from '../../api/logs.ts'
import { Problem } from '../../components/problem.tsx'
import type { LogTable } from '../../log-tables.ts'
import { change } from '../../router.ts'
import { database } from '../../session.ts'
import { useLoaded } from '../../task.ts'
import { currentSpan, timeWords } from '../../time.ts'
import { timeFilter } from '../../time-filter.ts'

export function OfTrace({ id, tables }: { readonly id: string; readonly tables: readonly LogTable[] }) {
  const { value, error } = useLoaded(signal => findTable(id, tables, signal), [id, tables, timeWords.value])
  useEffect(() => {
    if (value?.table === undefined) return
    const { name, trace } = value.table
    change({ trace: undefined, table: name, f: JSON.stringify([[trace, 'is', id]]) }, true)
  }, [value])
  if (error !== undefined) return <Problem error={error} />
  if (value === undefined || value.table !== undefined) return <p class="empty">Looking for lines of the trace …</p>
  return (
    <p class="empty">
      No table of {database.value} has lines of the trace <span class="mono">{id}</span> in this time. Tables with a
      column such as trace_id were asked: {value.asked.join(', ') || 'there is none'}.
    </p>
  )
}

async function findTable(id: string, tables: readonly LogTable[], signal: AbortSignal) {
  const candidates = tables.filter(({ trace, isTraces }) => trace !== undefined && !isTraces)
  const time_filter = timeFilter(currentSpan())
  const counts = await Promise.all(
    candidates.map(async table => {
      const filters = { Single: { expr: { NamedIdent: table.trace! }, filters: [{ Exact: id }] } }
      const { rows } = await queryLogs({ table: table.name, filters, time_filter, ...countBy([]) }, signal)
      return { table, count: Number(rows[0]?.[0] ?? 0) }
    })
  )
  const [most] = counts.filter(({ count }) => count > 0).sort((a, b) => b.count - a.count)
  return { table: most?.table, asked: candidates.map(({ name }) => name) }
}
