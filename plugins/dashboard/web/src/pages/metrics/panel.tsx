// One expression over time.
import { useEffect, useState } from 'preact/hooks'
import { type Metadata, queryRange, stepOf } from '../../api/promql.ts'
import { Chart, type Mark } from '../../components/chart/index.tsx'
import { linesOfSeries } from '../../components/chart/series-lines.ts'
import { Problem } from '../../components/problem.tsx'
import { addressOf } from '../../router.ts'
import { database } from '../../session.ts'
import { useLoaded } from '../../task.ts'
import { formatDuration, showSpan, type TimeSpan } from '../../time.ts'
import { unitOfExpression } from '../../units.ts'
import { moved, panels } from './panels.ts'

export interface PanelProps {
  readonly expression: string
  /** What the server says of its metrics. */
  readonly about: Readonly<Record<string, readonly Metadata[]>> | undefined
  readonly marks: readonly Mark[] | undefined
  readonly span: TimeSpan
  readonly place: number
  readonly count: number
  onChange(expressions: readonly string[]): void
}

export function Panel({ expression, about, marks, span, place, count, onChange }: PanelProps) {
  const [text, setText] = useState(expression)
  useEffect(() => setText(expression), [expression])
  const seconds = { from: span.from / 1000, to: span.to / 1000 }
  const { value, error, isRunning } = useLoaded(
    async signal => {
      const began = performance.now()
      const step = stepOf(seconds)
      const { series, warnings } = await queryRange(expression, seconds, step, { signal })
      const lines = linesOfSeries(series, seconds, step)
      return { lines, warnings, span, took: performance.now() - began }
    },
    [expression, span, database.value]
  )
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    onChange(panels.value.with(place, text))
  }
  const move = (to: number) => onChange(moved(panels.value, place, to))
  return (
    <section class="card stack" aria-label={`Panel ${place + 1}`}>
      <form class="bar" onSubmit={submit}>
        <input
          class="mono expression"
          aria-label={`Expression ${place + 1}`}
          value={text}
          onInput={event => setText(event.currentTarget.value)}
        />
        <button type="submit">Show</button>
        <a class="button" href={addressOf('query', { lang: 'promql', q: expression })}>
          Query
        </a>
        <a class="button" href={addressOf('boards', { board: 'new', edit: '1', add: expression })}>
          Dashboard
        </a>
        <button type="button" class="plain" disabled={place === 0} aria-label="Up" onClick={() => move(place - 1)}>
          ↑
        </button>
        <button
          type="button"
          class="plain"
          disabled={place === count - 1}
          aria-label="Down"
          onClick={() => move(place + 1)}
        >
          ↓
        </button>
        <button
          type="button"
          class="plain"
          aria-label="Remove"
          onClick={() => onChange(panels.value.filter((_, i) => i !== place))}
        >
          ×
        </button>
      </form>
      {error !== undefined && <Problem error={error} />}
      {error === undefined && value && (
        <>
          {value.warnings.map(warning => (
            <div class="warning" key={warning}>
              {warning}
            </div>
          ))}
          {value.lines.length === 0 && <p class="empty">No samples in this time.</p>}
          {value.lines.length > 0 && (
            <Chart
              label={expression}
              lines={value.lines}
              span={value.span}
              height={200}
              {...(marks && { marks })}
              unit={unitOfExpression(expression, name => about?.[name]?.[0]?.unit)}
              onZoom={showSpan}
            />
          )}
          <p class="quiet">
            {value.lines.length} series in {formatDuration(value.took)}
            {isRunning && ', loading …'}
          </p>
        </>
      )}
    </section>
  )
}
