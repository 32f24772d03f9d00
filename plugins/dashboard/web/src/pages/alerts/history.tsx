// A timeline of alerts: when each was pending and when it fired.
import { useMemo } from 'preact/hooks'
import { alertHistory } from '../../api/alerts.ts'
import { type Series, stepOf } from '../../api/promql.ts'
import { Problem } from '../../components/problem.tsx'
import { database } from '../../session.ts'
import { useLoaded } from '../../task.ts'
import { formatDuration, formatTime, type TimeSpan } from '../../time.ts'

/** Alerts shown at most. */
const maxAlerts = 50

interface Row {
  readonly name: string
  readonly labels: string
  readonly parts: readonly { readonly state: string; readonly from: number; readonly to: number }[]
}

export function History({ span }: { readonly span: TimeSpan }) {
  const seconds = { from: span.from / 1000, to: span.to / 1000 }
  const step = stepOf(seconds)
  const { value, error } = useLoaded(signal => alertHistory(seconds, step, { signal }), [span, database.value])
  const rows = useMemo(() => rowsOf(value ?? [], step), [value])
  return (
    <section class="card stack" aria-label="History">
      <div class="bar">
        <h2>History</h2>
        <span class="quiet">
          <span class="state pending">pending</span> <span class="state firing">firing</span>
        </span>
        {rows.length > maxAlerts && (
          <span class="quiet">
            the first {maxAlerts} of {rows.length} alerts
          </span>
        )}
      </div>
      {error !== undefined && <Problem error={error} />}
      {value !== undefined && rows.length === 0 && <p class="quiet">No alert in this time.</p>}
      {rows.length > 0 && (
        <ol class="lanes">
          {rows.slice(0, maxAlerts).map(row => (
            <Lane row={row} span={seconds} key={`${row.name} ${row.labels}`} />
          ))}
          <li class="quiet" aria-hidden="true">
            <span />
            <span class="ends">
              <span>{formatTime(Math.floor(seconds.from) * 1000)}</span>
              <span>{formatTime(Math.floor(seconds.to) * 1000)}</span>
            </span>
          </li>
        </ol>
      )}
    </section>
  )
}

function Lane({ row, span }: { readonly row: Row; readonly span: { from: number; to: number } }) {
  const share = (time: number) => Math.min(100, Math.max(0, ((time - span.from) / (span.to - span.from)) * 100))
  const words = ({ state, from, to }: Row['parts'][number]) =>
    `${state} from ${formatTime(Math.floor(from) * 1000)} for ${formatDuration((to - from) * 1000)}`
  return (
    <li>
      <span class="name">
        <strong>{row.name}</strong> <span class="quiet">{row.labels}</span>
      </span>
      <span class="lane" role="img" aria-label={row.parts.map(words).join('; ')}>
        {row.parts.map(part => (
          <span
            class={`part ${part.state}`}
            key={`${part.state} ${part.from}`}
            title={words(part)}
            style={{
              left: `min(${share(part.from)}%, calc(100% - 3px))`,
              width: `${share(part.to) - share(part.from)}%`
            }}
          />
        ))}
      </span>
    </li>
  )
}

/** One row for each alert, whatever its states; the newest first. */
function rowsOf(series: readonly Series[], step: number): readonly Row[] {
  const rows = new Map<string, { name: string; labels: string; parts: { state: string; from: number; to: number }[] }>()
  for (const { labels: all, times } of series) {
    const { __name__: _, alertname = '', alertstate = '', ...labels } = all
    const words = Object.entries(labels)
      .map(([name, value]) => `${name}=${value}`)
      .join(' ')
    const key = `${alertname} ${words}`
    const row = rows.get(key) ?? { name: alertname, labels: words, parts: [] }
    rows.set(key, row)
    for (const [i, time] of times.entries()) {
      const last = row.parts.at(-1)
      const goesOn = i > 0 && last !== undefined && time - times[i - 1]! < step * 1.5
      if (goesOn) last.to = time + step
      else row.parts.push({ state: alertstate, from: time, to: time + step })
    }
  }
  const end = ({ parts }: Row) => Math.max(...parts.map(({ to }) => to))
  return [...rows.values()].sort((a, b) => end(b) - end(a) || (a.name < b.name ? -1 : 1))
}
