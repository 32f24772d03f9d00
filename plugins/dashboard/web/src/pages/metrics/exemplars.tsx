// Exemplars of a metric: single observations that lead to their traces.
import { hasTable } from '../../api/catalog.ts'
import type { Span } from '../../api/promql.ts'
import { quoteText, rowsOf } from '../../api/sql.ts'
import { TableHead } from '../../components/table-head.tsx'
import { addressOf } from '../../router.ts'
import { database } from '../../session.ts'
import { useLoaded } from '../../task.ts'
import { formatTime } from '../../time.ts'
import { formatValue, unitOfMetric } from '../../units.ts'

/** Shown at most. */
const most = 10

interface Row {
  readonly at: number
  readonly value: number
  readonly trace_id: string | null
  readonly series: string
}

export function Exemplars({ metric, span }: { readonly metric: string; readonly span: Span }) {
  const { value } = useLoaded(signal => load(metric, span, signal), [metric, span.from, span.to, database.value])
  if (value === undefined || value.length === 0) return null
  return (
    <section class="stack" aria-label="Exemplars">
      <h3>Exemplars</h3>
      <div class="scrolls">
        <table class="plain">
          <TableHead titles={['Time', 'Value', 'Series', 'Trace']} />
          <tbody>
            {value.map(({ at, value, trace_id, series }) => (
              <tr key={`${at} ${series}`}>
                <td>{formatTime(at)}</td>
                <td>{formatValue(value, unitOfMetric(metric))}</td>
                <td class="mono">{labelsText(series)}</td>
                <td>
                  {trace_id && (
                    <a class="mono" href={addressOf('traces', { trace: trace_id })}>
                      {trace_id}
                    </a>
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  )
}

function labelsText(series: string): string {
  const labels = Object.entries(JSON.parse(series) as Record<string, string>)
  return labels.map(([name, value]) => `${name}=${value}`).join(' ')
}

async function load(metric: string, { from, to }: Span, signal: AbortSignal): Promise<readonly Row[]> {
  if (!(await hasTable(database.value, 'svc_exemplars', { signal }))) return []
  const times = [from, to].map(at => quoteText(new Date(at * 1000).toISOString()))
  return rowsOf<Row>(
    `SELECT CAST(epoch_ms(svc_timestamp) AS BIGINT) AS at, svc_value AS value, trace_id, series FROM svc_exemplars WHERE metric = ${quoteText(metric)} AND svc_timestamp BETWEEN ${times[0]} AND ${times[1]} ORDER BY svc_timestamp DESC LIMIT ${most}`,
    { signal }
  )
}
