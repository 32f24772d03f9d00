// Log lines of a trace or a span. Of all tables the one with most of them is shown.
import { useEffect } from 'preact/hooks'
import { countBy, queryLogs } from '../../api/logs.ts'
import { Problem } from '../../components/problem.tsx'
import type { LogTable } from '../../log-tables.ts'
import { change } from '../../router.ts'
import { database } from '../../session.ts'
import { useLoaded } from '../../task.ts'
import { currentSpan, timeWords } from '../../time.ts'
import { timeFilter } from '../../time-filter.ts'

interface OfTraceProps {
  readonly id: string
  readonly span: string | undefined
  readonly tables: readonly LogTable[]
}

export function OfTrace({ id, span, tables }: OfTraceProps) {
  const { value, error } = useLoaded(
    signal => findTable({ id, span, tables }, signal),
    [id, span, tables, timeWords.value]
  )
  useEffect(() => {
    if (value?.table === undefined) return
    const { name, trace, span: column } = value.table
    const filters = [[trace, 'is', id], ...(span === undefined ? [] : [[column, 'is', span]])]
    change({ trace: undefined, span: undefined, table: name, f: JSON.stringify(filters) }, true)
  }, [value])
  if (error !== undefined) return <Problem error={error} />
  if (value === undefined || value.table !== undefined) return <p class="empty">Looking for lines of the trace …</p>
  return (
    <p class="empty">
      No table of {database.value} has lines of the {span === undefined ? 'trace' : 'span'}{' '}
      <span class="mono">{span ?? id}</span> in this time. Tables with a column such as{' '}
      {span === undefined ? 'trace_id' : 'trace_id and one such as span_id'} were asked:{' '}
      {value.asked.join(', ') || 'there is none'}.
    </p>
  )
}

async function findTable({ id, span, tables }: OfTraceProps, signal: AbortSignal) {
  const candidates = tables.filter(
    table => table.trace !== undefined && !table.isTraces && (span === undefined || table.span !== undefined)
  )
  const time_filter = timeFilter(currentSpan())
  const counts = await Promise.all(
    candidates.map(async table => {
      const is = (column: string, text: string) => ({
        Single: { expr: { NamedIdent: column }, filters: [{ Exact: text }] }
      })
      const filters = { And: [is(table.trace!, id), ...(span === undefined ? [] : [is(table.span!, span)])] }
      const { rows } = await queryLogs({ table: table.name, filters, time_filter, ...countBy([]) }, signal)
      return { table, count: Number(rows[0]?.[0] ?? 0) }
    })
  )
  const [most] = counts.filter(({ count }) => count > 0).sort((a, b) => b.count - a.count)
  return { table: most?.table, asked: candidates.map(({ name }) => name) }
}
