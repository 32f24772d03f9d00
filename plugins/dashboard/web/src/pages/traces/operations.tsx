// Operations of all traces of the time: how often, how long, how often in vain.
import { useMemo } from 'preact/hooks'
import { loadOperations } from '../../api/spans.ts'
import { DataTable } from '../../components/data-table.tsx'
import { Problem } from '../../components/problem.tsx'
import { database } from '../../session.ts'
import { useLoaded } from '../../task.ts'
import { currentSpan, timeWords } from '../../time.ts'
import { countOf } from '../../words.ts'
import { operationColumns } from './operation-columns.ts'

const columns = operationColumns(['spans', 'failed'], ['median', '95 %', 'longest'])

export function Operations() {
  const { value, error } = useLoaded(
    signal => loadOperations(currentSpan(), { db: database.value, signal }),
    [database.value, timeWords.value]
  )
  const rows = useMemo(
    () =>
      (value ?? []).map(({ service, operation, spans, failed, median, p95, longest }) => [
        service,
        operation,
        spans,
        failed,
        rounded(median),
        rounded(p95),
        rounded(longest)
      ]),
    [value]
  )
  if (error !== undefined) return <Problem error={error} />
  if (value === undefined) return <p class="empty">Loading …</p>
  if (rows.length === 0) return <p class="empty">No spans in this time.</p>
  return (
    <>
      <p class="quiet" role="status">
        {countOf(rows.length, 'operation')}, those that take most time in all first
      </p>
      <DataTable label="Operations" columns={columns} rows={rows} />
    </>
  )
}

/** Milliseconds with four significant digits. */
function rounded(ms: number): number {
  return Number(ms.toPrecision(4))
}
