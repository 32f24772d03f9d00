// The list of metrics, details of one, and panels of expressions that share time span and crosshair.
import { useEffect, useMemo } from 'preact/hooks'
import { labelValues, metadata } from '../../api/promql.ts'
import { Annotations, annotationsOfAddress } from '../../components/annotations.tsx'
import { Choice } from '../../components/choice.tsx'
import { Problem } from '../../components/problem.tsx'
import { TimeRange } from '../../components/time-range.tsx'
import { useMarks } from '../../components/use-marks.ts'
import { firstExpression, kindOf } from '../../metric-expressions.ts'
import { change, parameters } from '../../router.ts'
import { database } from '../../session.ts'
import { useLoaded } from '../../task.ts'
import { currentSpan, timeWords } from '../../time.ts'
import { Cardinality } from './cardinality.tsx'
import { MetricDetails } from './metric-details.tsx'
import { MetricList } from './metric-list.tsx'
import { Panel } from './panel.tsx'
import { panels, showPanels } from './panels.ts'
import './metrics.css'

const views = [
  { value: 'charts', title: 'Charts' },
  { value: 'cardinality', title: 'Cardinality' }
] as const

export default function Metrics() {
  const span = useMemo(() => currentSpan(), [timeWords.value])
  const seconds = { from: span.from / 1000, to: span.to / 1000 }
  const names = useLoaded(
    signal => labelValues('__name__', undefined, seconds, { signal }),
    [database.value, timeWords.value]
  )
  const about = useLoaded(signal => metadata({ signal }), [database.value])
  const marks = useMarks(annotationsOfAddress(), seconds, database.value)
  const chosen = parameters.value.get('metric')
  const expressions = panels.value
  const isCounting = parameters.value.get('view') === 'cardinality'
  const kind = kindOf(chosen ?? '', about.value?.[chosen ?? '']?.[0]?.type)

  const choose = (name: string) => {
    change({ metric: name })
    const type = about.value?.[name]?.[0]?.type
    if (expressions.length === 0) showPanels([firstExpression(name, kindOf(name, type))])
  }
  useEffect(() => {
    document.querySelector('.metric-list [aria-pressed="true"]')?.scrollIntoView({ block: 'nearest' })
  }, [names.value])

  return (
    <>
      <div class="bar">
        <h1>Metrics</h1>
        <Choice
          label="View"
          value={isCounting ? 'cardinality' : 'charts'}
          options={views}
          onChange={view => change({ view: view === 'charts' ? undefined : view })}
        />
        <span class="space" />
        {!isCounting && <Annotations marks={marks} />}
        <TimeRange />
      </div>
      {names.error !== undefined && <Problem error={names.error} />}
      {names.value?.length === 0 && (
        <p class="empty">
          There are no metrics in this time. <a href="/dashboard/ingest">Send some</a>, or choose another time.
        </p>
      )}
      {isCounting && <Cardinality span={seconds} />}
      <div class="columns" hidden={isCounting}>
        <MetricList names={names.value ?? []} about={about.value ?? {}} chosen={chosen} onChoose={choose} />
        <div class="stack">
          {chosen !== null && (
            <MetricDetails
              key={chosen}
              name={chosen}
              kind={kind}
              about={about.value?.[chosen]?.[0]}
              span={seconds}
              names={names.value ?? []}
              onChoose={choose}
              onAdd={expression => showPanels([...expressions, expression])}
            />
          )}
          {expressions.map((expression, i) => (
            <Panel
              key={i}
              expression={expression}
              span={span}
              about={about.value}
              marks={marks.value}
              index={i}
              count={expressions.length}
              onChange={changed => showPanels(changed)}
            />
          ))}
          {expressions.length === 0 && chosen === null && names.value !== undefined && names.value.length > 0 && (
            <p class="empty">Choose a metric to see it.</p>
          )}
        </div>
      </div>
    </>
  )
}
