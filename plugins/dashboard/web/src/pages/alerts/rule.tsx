// One rule: its state in a line, and behind a click all that is known of it and its alerts.
import type { Alert, Rule } from '../../api/alerts.ts'
import { TableHead } from '../../components/table-head.tsx'
import { addressOf } from '../../router.ts'
import { formatDuration, formatTime } from '../../time.ts'
import { formatValue } from '../../units.ts'
import { stateOf, stateWords } from './state.ts'

export function RuleView({ rule }: { readonly rule: Rule }) {
  const state = stateOf(rule)
  const isOpen = state === 'firing' || state === 'failing'
  return (
    <details class="rule" open={isOpen}>
      <summary>
        <span class={`state ${state}`}>{stateWords[state]}</span> <strong>{rule.name}</strong>{' '}
        <span class="quiet">{rule.type === 'recording' ? 'recorded' : waitWords(rule)}</span>
      </summary>
      <div class="stack">
        <pre class="card">{rule.query}</pre>
        <div class="bar">
          <a
            class="button"
            href={addressOf('query', { lang: rule.language === 'sql' ? undefined : 'promql', q: rule.query })}
          >
            Query
          </a>
          <Labels labels={rule.labels} />
          <span class="quiet">
            {rule.health === 'unknown'
              ? ''
              : `evaluated ${formatTime(Date.parse(rule.lastEvaluation))} in ${formatDuration(rule.evaluationTime * 1000)}`}
          </span>
        </div>
        {rule.lastError !== undefined && <div class="problem">{rule.lastError}</div>}
        {rule.type === 'alerting' && rule.alerts.length > 0 && <AlertTable alerts={rule.alerts} name={rule.name} />}
      </div>
    </details>
  )
}

function waitWords(rule: Extract<Rule, { type: 'alerting' }>): string {
  const parts = [
    rule.duration > 0 && `after ${durationWord(rule.duration)}`,
    rule.keepFiringFor > 0 && `for ${durationWord(rule.keepFiringFor)} longer`
  ]
  return parts.filter(Boolean).join(', ')
}

/** As a rule says it: `1h30m`. */
function durationWord(seconds: number): string {
  const units = [
    ['d', 86_400],
    ['h', 3_600],
    ['m', 60],
    ['s', 1]
  ] as const
  let rest = seconds
  const parts = units.map(([unit, size]) => {
    const count = unit === 's' ? rest : Math.floor(rest / size)
    rest -= count * size
    return count > 0 ? `${count}${unit}` : ''
  })
  return parts.join('')
}

function AlertTable({ alerts, name }: { readonly alerts: readonly Alert[]; readonly name: string }) {
  return (
    <section class="scrolls" tabIndex={0} aria-label={`Alerts of ${name}`}>
      <table class="plain">
        <TableHead titles={['State', 'Since', 'Value', 'Labels', 'Says']} />
        <tbody>
          {alerts.map(({ labels: { alertname: _, ...labels }, annotations, state, activeAt, value }) => (
            <tr key={JSON.stringify(labels)}>
              <td>
                <span class={`state ${state}`}>{state}</span>
              </td>
              <td class="time">{formatTime(Math.floor(Date.parse(activeAt) / 1000) * 1000)}</td>
              <td>{formatValue(Number(value.replace('Inf', 'Infinity')))}</td>
              <td>
                <Labels labels={labels} />
              </td>
              <td>
                {Object.entries(annotations).map(([key, text]) => (
                  <p key={key}>
                    <span class="quiet">{key}</span> {text}
                  </p>
                ))}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

function Labels({ labels }: { readonly labels: Readonly<Record<string, string>> }) {
  return (
    <span class="labels">
      {Object.entries(labels).map(([name, value]) => (
        <code key={name}>
          {name}={value}
        </code>
      ))}
    </span>
  )
}
