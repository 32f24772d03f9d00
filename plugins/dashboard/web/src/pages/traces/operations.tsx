// Operations of the traces found: how often, how long, how often in vain.
import { useMemo } from 'preact/hooks'
import type { Trace } from '../../api/traces.ts'
import { DataTable } from '../../components/data-table.tsx'
import { operationsOf } from './summary.ts'

const columns = [
  { name: 'service', type: 'String', note: '' },
  { name: 'operation', type: 'String', note: '' },
  { name: 'spans', type: 'Int64', note: '' },
  { name: 'failed', type: 'Int64', note: '' },
  { name: 'median', type: 'Float64', note: 'ms' },
  { name: '95 %', type: 'Float64', note: 'ms' },
  { name: 'longest', type: 'Float64', note: 'ms' }
]

export function Operations({ traces }: { readonly traces: readonly Trace[] }) {
  const rows = useMemo(
    () =>
      operationsOf(traces).map(({ service, operation, calls, failed, median, p95, longest }) => [
        service,
        operation,
        calls,
        failed,
        median,
        p95,
        longest
      ]),
    [traces]
  )
  return <DataTable label="Operations" columns={columns} rows={rows} />
}
