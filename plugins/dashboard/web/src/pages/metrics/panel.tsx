// One expression over time.
import { useEffect, useMemo, useState } from 'preact/hooks'
import { loadExemplars } from '../../api/exemplars.ts'
import { type Metadata, queryRange, stepOf } from '../../api/promql.ts'
import { heatOf } from '../../components/chart/heat.ts'
import { HeatMap } from '../../components/chart/heat-map.tsx'
import { Chart, type Mark } from '../../components/chart/index.tsx'
import { linesOfSeries } from '../../components/chart/series-lines.ts'
import { Choice } from '../../components/choice.tsx'
import { Editor } from '../../components/editor.tsx'
import { Problem } from '../../components/problem.tsx'
import { useLanguage } from '../../components/use-language.ts'
import { dotsOf, isQuantile, maxDots, unitOfObserved, wordsOf } from '../../observations.ts'
import { addressOf, parameters } from '../../router.ts'
import { database } from '../../session.ts'
import { useLoaded } from '../../task.ts'
import { formatDuration, showSpan, type TimeSpan } from '../../time.ts'
import { unitOfExpression } from '../../units.ts'
import { moved, panels } from './panels.ts'

type Drawing = 'heat' | 'lines'

const drawings = [
  { value: 'heat', title: 'Heat map' },
  { value: 'lines', title: 'Lines' }
] as const

interface PanelProps {
  readonly expression: string
  /** Metadata of the server's metrics. */
  readonly about: Readonly<Record<string, readonly Metadata[]>> | undefined
  readonly marks: readonly Mark[] | undefined
  readonly span: TimeSpan
  readonly index: number
  readonly count: number
  onChange(expressions: readonly string[]): void
}

export function Panel({ expression, about, marks, span, index, count, onChange }: PanelProps) {
  const [text, setText] = useState(expression)
  const language = useLanguage('promql')
  const [drawing, setDrawing] = useState<Drawing>('heat')
  useEffect(() => setText(expression), [expression])
  const seconds = { from: span.from / 1000, to: span.to / 1000 }
  const { value, error, isRunning } = useLoaded(
    async signal => {
      const began = performance.now()
      const step = stepOf(seconds)
      const [{ series, warnings }, exemplars] = await Promise.all([
        queryRange(expression, seconds, step, { signal }),
        loadExemplars(wordsOf(expression), seconds, maxDots, { signal, db: database.value })
      ])
      // Native histograms have no values.
      const withValues = series.filter(({ values }) => values.length > 0)
      const lines = linesOfSeries(withValues, seconds, step)
      const took = performance.now() - began
      return { count: series.length, lines, heat: heatOf(series, step), exemplars, warnings, span, took }
    },
    [expression, span, database.value]
  )
  const observed = unitOfObserved(expression, about)
  const dots = useMemo(
    () => dotsOf(value?.exemplars ?? [], observed, value?.heat !== undefined || isQuantile(expression), database.value),
    [value, observed]
  )
  const isHeat = value?.heat !== undefined && (drawing === 'heat' || value.lines.length === 0)
  const show = () => onChange(panels.value.with(index, text))
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    show()
  }
  const move = (to: number) => onChange(moved(panels.value, index, to))
  return (
    <section class="card stack" aria-label={`Panel ${index + 1}`}>
      <form class="bar" onSubmit={submit}>
        <span class="expression">
          <Editor
            isLine
            label={`Expression ${index + 1}`}
            value={text}
            language={language}
            onChange={setText}
            onRun={show}
          />
        </span>
        <button type="submit">Show</button>
        <a
          class="button"
          href={addressOf('query', {
            lang: 'promql',
            q: expression,
            marks: parameters.value.get('marks') ?? undefined
          })}
        >
          Query
        </a>
        <a
          class="button"
          href={addressOf('boards', {
            board: 'new',
            edit: '1',
            add: expression,
            exemplars: dots.length > 0 ? '1' : undefined,
            marks: parameters.value.get('marks') ?? undefined
          })}
        >
          Dashboard
        </a>
        <button type="button" class="plain" disabled={index === 0} aria-label="Up" onClick={() => move(index - 1)}>
          ↑
        </button>
        <button
          type="button"
          class="plain"
          disabled={index === count - 1}
          aria-label="Down"
          onClick={() => move(index + 1)}
        >
          ↓
        </button>
        <button
          type="button"
          class="plain"
          aria-label="Remove"
          onClick={() => onChange(panels.value.filter((_, i) => i !== index))}
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
          {value.count === 0 && <p class="empty">No samples in this time.</p>}
          {value.count > 0 && value.lines.length === 0 && !value.heat && (
            <p class="empty">These are native histograms: sum them for a heat map, or take a quantile.</p>
          )}
          {value.heat && value.lines.length > 0 && (
            <Choice<Drawing>
              label="Drawn as"
              value={drawing}
              options={drawings}
              onChange={value => setDrawing(value)}
            />
          )}
          {value.heat && isHeat && (
            <HeatMap
              label={expression}
              heat={value.heat}
              span={value.span}
              unit={observed}
              dots={dots}
              {...(marks && { marks })}
              onZoom={showSpan}
            />
          )}
          {value.lines.length > 0 && !isHeat && (
            <Chart
              label={expression}
              lines={value.lines}
              span={value.span}
              height={200}
              {...(marks && { marks })}
              dots={dots}
              unit={unitOfExpression(expression, name => about?.[name]?.[0]?.unit)}
              onZoom={showSpan}
            />
          )}
          <p class="quiet">
            {value.count} series in {formatDuration(value.took)}
            {isRunning && ', loading …'}
          </p>
        </>
      )}
    </section>
  )
}
