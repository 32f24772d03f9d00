// One metric: its metadata, its labels with their number of values, and expressions to show.
import { useMemo, useState } from 'preact/hooks'
import { labelNames, labelValues, type Metadata, type Span } from '../../api/promql.ts'
import { Problem } from '../../components/problem.tsx'
import { type Kind, offers, selector } from '../../metric-expressions.ts'
import { addressOf } from '../../router.ts'
import { useLoaded } from '../../task.ts'
import { Exemplars } from './exemplars.tsx'
import { relatedMetrics } from './related.ts'

/** Labels whose values are counted. */
const maxLabels = 40
/** Values shown of a label. */
const maxValues = 100

interface MetricDetailsProps {
  readonly name: string
  readonly kind: Kind
  readonly about: Metadata | undefined
  readonly span: Span
  /** Of all metrics. */
  readonly names: readonly string[]
  onAdd(expression: string): void
  onChoose(name: string): void
}

export function MetricDetails({ name, kind, about, span, names, onAdd, onChoose }: MetricDetailsProps) {
  const [by, setBy] = useState<string>()
  const related = useMemo(() => relatedMetrics(name, names), [name, names])
  const labels = useLoaded(signal => loadLabels(name, span, signal), [name])
  return (
    <section class="card stack" aria-label={`About ${name}`}>
      <div class="bar">
        <h2 class="mono">{name}</h2>
        <span class="quiet">{[about?.type ?? kind, about?.unit].filter(Boolean).join(', ')}</span>
      </div>
      {about?.help && <p>{about.help}</p>}
      {labels.error !== undefined && <Problem error={labels.error} />}
      <Labels labels={labels.value ?? []} name={name} chosen={by} onChoose={setBy} onAdd={onAdd} />
      <div class="bar">
        {offers(name, kind, by).map(({ title, expression }) => (
          <button type="button" key={title} title={expression} onClick={() => onAdd(expression)}>
            {title}
          </button>
        ))}
        <a class="button" href={addressOf('metrics', { metric: name, view: 'cardinality' })}>
          Cardinality
        </a>
      </div>
      {related.length > 0 && (
        <section class="bar" aria-label="Related metrics">
          <span class="quiet">Related</span>
          {related.map(each => (
            <button type="button" class="plain mono" key={each} onClick={() => onChoose(each)}>
              {each}
            </button>
          ))}
        </section>
      )}
      <Exemplars metric={name} span={span} />
    </section>
  )
}

interface Label {
  readonly name: string
  readonly values: readonly string[]
}

async function loadLabels(metric: string, span: Span, signal: AbortSignal): Promise<Label[]> {
  const match = selector(metric)
  const names = (await labelNames(match, span, { signal })).filter(name => name !== '__name__').slice(0, maxLabels)
  const values = await Promise.all(names.map(name => labelValues(name, match, span, { signal })))
  return names.map((name, i) => ({ name, values: values[i]! })).sort((a, b) => b.values.length - a.values.length)
}

interface LabelsProps {
  readonly labels: readonly Label[]
  readonly name: string
  readonly chosen: string | undefined
  onChoose(label: string | undefined): void
  onAdd(expression: string): void
}

function Labels({ labels, name, chosen, onChoose, onAdd }: LabelsProps) {
  const found = labels.find(each => each.name === chosen)
  return (
    <>
      <div class="bar">
        {labels.map(label => (
          <button
            type="button"
            key={label.name}
            aria-pressed={label.name === chosen}
            onClick={() => onChoose(label.name === chosen ? undefined : label.name)}
          >
            {label.name} <span class="quiet">{label.values.length}</span>
          </button>
        ))}
      </div>
      {found && (
        <ul class="values" aria-label={`Values of ${found.name}`}>
          {found.values.slice(0, maxValues).map(value => (
            <li key={value}>
              <button
                type="button"
                class="plain mono"
                onClick={() => onAdd(selector(name, `${found.name}=${JSON.stringify(value)}`))}
              >
                {value}
              </button>
            </li>
          ))}
          {found.values.length > maxValues && <li class="quiet">and {found.values.length - maxValues} more</li>}
        </ul>
      )}
    </>
  )
}
