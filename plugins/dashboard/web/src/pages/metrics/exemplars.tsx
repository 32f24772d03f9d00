// Exemplars of a metric: single observations that lead to their traces.
import { labelsText, loadExemplars } from '../../api/exemplars.ts'
import type { Span } from '../../api/promql.ts'
import { TableHead } from '../../components/table-head.tsx'
import { addressOf } from '../../router.ts'
import { database } from '../../session.ts'
import { useLoaded } from '../../task.ts'
import { formatTime } from '../../time.ts'
import { formatValue, unitOfMetric } from '../../units.ts'

/** Rows of the table. */
const maxRows = 10

export function Exemplars({ metric, span }: { readonly metric: string; readonly span: Span }) {
  const { value } = useLoaded(
    signal => loadExemplars([metric], span, maxRows, { signal, db: database.value }),
    [metric, span.from, span.to, database.value]
  )
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
