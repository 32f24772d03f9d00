// Alerts: active ones, their history, and the rules.
import { useMemo } from 'preact/hooks'
import { type Rule, type RuleGroup, ruleGroups } from '../../api/alerts.ts'
import { ApiError } from '../../api/http.ts'
import { Choice } from '../../components/choice.tsx'
import { Problem } from '../../components/problem.tsx'
import { SearchBox } from '../../components/search-box.tsx'
import { TimeRange } from '../../components/time-range.tsx'
import { change, parameters } from '../../router.ts'
import { database } from '../../session.ts'
import { useLoaded } from '../../task.ts'
import { currentSpan, timeWords } from '../../time.ts'
import { countOf } from '../../words.ts'
import { Beginning } from './beginning.tsx'
import { History } from './history.tsx'
import { RuleView } from './rule.tsx'
import { stateOf } from './state.ts'
import './alerts.css'

const filters = [
  { value: 'all', title: 'All' },
  { value: 'firing', title: 'Firing' },
  { value: 'pending', title: 'Pending' },
  { value: 'failing', title: 'Failing' }
] as const

export default function Alerts() {
  const { value, error } = useLoaded(
    signal => ruleGroups(database.value, { signal }),
    [database.value, timeWords.value]
  )
  const span = useMemo(() => currentSpan(), [timeWords.value])
  const isOff = error instanceof ApiError && error.status === 404
  return (
    <>
      <div class="bar">
        <h1>Alerts</h1>
        <span class="space" />
        <TimeRange />
      </div>
      {isOff && <p class="empty">Rules are evaluated by the plugin alerting, which is off here.</p>}
      {error !== undefined && !isOff && <Problem error={error} />}
      {value?.length === 0 && <Beginning />}
      {value !== undefined && value.length > 0 && (
        <>
          <Tiles groups={value} />
          <History span={span} />
          <Groups groups={value} />
        </>
      )}
    </>
  )
}

function Tiles({ groups }: { readonly groups: readonly RuleGroup[] }) {
  const rules = groups.flatMap(each => each.rules)
  const alerts = rules.flatMap(rule => (rule.type === 'alerting' ? rule.alerts : []))
  const count = (state: string) => alerts.filter(alert => alert.state === state).length
  const failing = rules.filter(({ health }) => health === 'err').length
  const tiles = [
    ['Firing', count('firing'), 'firing'],
    ['Pending', count('pending'), 'pending'],
    ['Rules', rules.length, ''],
    ['Failing rules', failing, 'failing']
  ] as const
  return (
    <div class="tiles">
      {tiles.map(([title, number, state]) => (
        <div class={`card ${number > 0 ? state : ''}`} key={title}>
          <span class="quiet">{title}</span>
          <strong>{number}</strong>
        </div>
      ))}
    </div>
  )
}

function Groups({ groups }: { readonly groups: readonly RuleGroup[] }) {
  const filter = parameters.value.get('state') ?? 'all'
  const wanted = parameters.value.get('q') ?? ''
  const isShown = (rule: Rule) =>
    (filter === 'all' || stateOf(rule) === filter) && textOf(rule).includes(wanted.toLowerCase())
  const shown = groups
    .map(group => ({ ...group, rules: group.rules.filter(isShown) }))
    .filter(({ rules }) => rules.length > 0)
  return (
    <>
      <div class="bar">
        <Choice
          label="Rules that are"
          value={filter as (typeof filters)[number]['value']}
          options={filters}
          onChange={value => change({ state: value === 'all' ? undefined : value })}
        />
        <SearchBox
          label="Search rules"
          placeholder="Search rules and labels"
          value={wanted}
          onChange={q => change({ q }, true)}
        />
      </div>
      {shown.length === 0 && <p class="empty">No rule is like that.</p>}
      {shown.map(({ name, file, interval, rules }) => (
        <section class="card stack" aria-label={`Group ${name}`} key={`${file} ${name}`}>
          <div class="bar">
            <h2>{name}</h2>
            <span class="quiet">
              {countOf(rules.length, 'rule')} every {interval} s, {file}
            </span>
          </div>
          {rules.map((rule, i) => (
            <RuleView rule={rule} key={`${rule.name} ${i}`} />
          ))}
        </section>
      ))}
    </>
  )
}

function textOf({ name, labels, query }: Rule): string {
  return [name, query, ...Object.entries(labels).flat()].join(' ').toLowerCase()
}
