// Cardinality: the metrics, labels and values with most series; for one metric, how many it would have without each label.
import { type Counted, cardinality, labelNames, queryAt, type Span } from '../../api/promql.ts'
import { Problem } from '../../components/problem.tsx'
import { selector } from '../../metric-expressions.ts'
import { change, parameters } from '../../router.ts'
import { database } from '../../session.ts'
import { useLoaded } from '../../task.ts'
import { timeWords } from '../../time.ts'
import { countOf } from '../../words.ts'

/** Labels of a metric that are tried. */
const maxLabels = 30

export function Cardinality({ span }: { readonly span: Span }) {
  const metric = parameters.value.get('metric') ?? undefined
  const { value, error } = useLoaded(
    signal => cardinality(span, metric, { signal }),
    [database.value, timeWords.value, metric]
  )
  if (error !== undefined) return <Problem error={error} />
  if (value === undefined) return <p class="empty">Counting …</p>
  return (
    <>
      <div class="bar">
        <span>
          {countOf(value.series, 'series', 'series')}{' '}
          {metric === undefined ? 'in this time' : `of ${metric} in this time`}
        </span>
        {metric !== undefined && (
          <button type="button" onClick={() => change({ metric: undefined })}>
            All metrics
          </button>
        )}
      </div>
      {value.warnings.map(text => (
        <div class="warning" key={text}>
          {text}
        </div>
      ))}
      {metric !== undefined && <WithoutLabels metric={metric} span={span} series={value.series} />}
      <div class="halves">
        {metric === undefined && (
          <Bars
            title="Metrics with most series"
            entries={value.metrics}
            of={value.series}
            onChoose={name => change({ metric: name })}
          />
        )}
        <Bars title="Labels with most values" entries={value.labels} of={value.labels[0]?.value ?? 0} />
        <Bars title="Values with most series" entries={value.pairs} of={value.series} />
      </div>
    </>
  )
}

interface BarsProps {
  readonly title: string
  readonly entries: readonly Counted[]
  /** The count of a full bar. */
  readonly of: number
  onChoose?(name: string): void
}

function Bars({ title, entries, of, onChoose }: BarsProps) {
  return (
    <section class="card stack" aria-label={title}>
      <h2>{title}</h2>
      {entries.length === 0 && <p class="quiet">None.</p>}
      <ol class="bars">
        {entries.map(({ name, value }) => (
          <li key={name}>
            {onChoose ? (
              <button type="button" class="plain mono" title={name} onClick={() => onChoose(name)}>
                {name}
              </button>
            ) : (
              <span class="mono" title={name}>
                {name}
              </span>
            )}
            <span class="figure">{value.toLocaleString('en')}</span>
            <meter aria-label={`${name}: ${value} of ${of}`} max={Math.max(1, of)} value={value} />
          </li>
        ))}
      </ol>
    </section>
  )
}

interface WithoutProps {
  readonly metric: string
  readonly span: Span
  readonly series: number
}

/** Counted exactly: the series there would be if a label were not kept. */
function WithoutLabels({ metric, span, series }: WithoutProps) {
  const { value, error } = useLoaded(
    async signal => {
      const match = selector(metric)
      const names = (await labelNames(match, span, { signal })).filter(name => name !== '__name__').slice(0, maxLabels)
      const seconds = Math.max(1, Math.ceil(span.to - span.from))
      const counts = await Promise.all(
        names.map(async name => {
          const label = /^[a-zA-Z_]\w*$/.test(name) ? name : JSON.stringify(name)
          const asked = `count(count without (${label}) (last_over_time(${match}[${seconds}s])))`
          const { series } = await queryAt(asked, span.to, { signal })
          return { name, left: series[0]?.values[0] ?? 0 }
        })
      )
      return counts.sort((a, b) => a.left - b.left)
    },
    [metric, span.from, span.to, database.value]
  )
  return (
    <section class="card stack" aria-label="What to drop">
      <h2>What to drop</h2>
      {error !== undefined && <Problem error={error} />}
      {value?.length === 0 && <p class="quiet">The metric has no labels.</p>}
      <ul class="links">
        {(value ?? []).map(({ name, left }) => (
          <li key={name}>
            <span>
              without <span class="mono">{name}</span>
            </span>
            <span class={left <= series / 2 ? '' : 'quiet'}>
              {left.toLocaleString('en')} series
              {left < series && `, ${Math.round((1 - left / series) * 100)} % fewer`}
            </span>
          </li>
        ))}
      </ul>
      <p class="quiet">
        A sender drops a label with a rule such as <code>action: labeldrop, regex: NAME</code>; what is stored stays as
        it is.
      </p>
    </section>
  )
}
