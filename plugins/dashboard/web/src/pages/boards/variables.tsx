// Variables of a dashboard: their options, and the chosen values, which the address keeps.
import { useMemo } from 'preact/hooks'
import { labelNames, labelValues } from '../../api/promql.ts'
import { sql } from '../../api/sql.ts'
import { Menu } from '../../components/menu.tsx'
import { Problem } from '../../components/problem.tsx'
import { change, parameters } from '../../router.ts'
import { useLoaded } from '../../task.ts'
import type { TimeSpan } from '../../time.ts'
import type { Variable } from './document.ts'
import { substitute, substituteSql, type Values } from './substitute.ts'

/** The choice of everything, as links of Grafana say it. */
const everything = '$__all'
/** Values offered at most. */
const maxOptions = 1_000

const keyOf = (name: string) => `var-${name}`

interface Variables {
  /** Undefined until the options are known. */
  readonly values: Values | undefined
  readonly error: unknown
}

/** By name. Those behind others may use them. What is chosen counts at once, what can be chosen then is loaded. */
export function useVariables(variables: readonly Variable[], span: TimeSpan, db: string): Variables {
  const address = variables.map(({ name }) => parameters.value.get(keyOf(name)) ?? '').join('\0')
  const { value: options, error } = useLoaded(
    async signal => {
      const values: Record<string, Values[string]> = {}
      for (const variable of variables) {
        const all = (await optionsOf(variable, values, span, db, signal)).slice(0, maxOptions)
        values[variable.name] = chosenOf(variable, all)
      }
      return values
    },
    [variables, address, span, db]
  )
  const values = useMemo(
    () =>
      options &&
      Object.fromEntries(
        variables.map(variable => [variable.name, chosenOf(variable, options[variable.name]?.all ?? [])])
      ),
    [options, variables, address]
  )
  return { values, error }
}

async function optionsOf(
  { kind, query }: Variable,
  values: Values,
  span: TimeSpan,
  db: string,
  signal: AbortSignal
): Promise<readonly string[]> {
  const time = { ...span, step: 60 }
  if (kind === 'sql') {
    const { text, params } = substituteSql(query, values, time)
    const { rows } = await sql(text, { params, signal, limit: maxOptions, db })
    return rows.flatMap(([value]) => (value === null || value === undefined ? [] : [String(value)]))
  }
  const text = substitute(query, 'promql', values, time)
  if (kind === 'custom') return text.split(',').flatMap(each => each.trim() || [])
  if (kind === 'text') return [text]
  const seconds = { from: span.from / 1000, to: span.to / 1000 }
  const of = /^\s*label_values\(\s*(?:(.+)\s*,\s*)?([\w.]+)\s*\)\s*$/s.exec(text)
  if (of !== null) return labelValues(of[2]!, of[1]?.trim(), seconds, { signal, db })
  if (/^\s*label_names\(.*\)\s*$/.test(text)) return labelNames(undefined, seconds, { signal, db })
  const metrics = /^\s*metrics\((.*)\)\s*$/.exec(text)
  if (metrics === null)
    throw new Error(`A variable asks label_values(metric, label), label_names() or metrics(pattern): ${text}`)
  const pattern = new RegExp(metrics[1]!)
  return (await labelValues('__name__', undefined, seconds, { signal, db })).filter(name => pattern.test(name))
}

function chosenOf({ name, kind, all: hasAll, multi }: Variable, all: readonly string[]): Values[string] {
  const word = parameters.value.get(keyOf(name))
  if (kind === 'text') return { chosen: [word ?? all[0] ?? ''], all, isAll: false }
  if (word === everything || (word === null && hasAll)) return { chosen: all, all, isAll: true }
  if (word === null) return { chosen: all.slice(0, 1), all, isAll: false }
  return { chosen: multi ? readList(word) : [word], all, isAll: false }
}

/** Several values stand in the address as a list of JSON. */
function readList(word: string): readonly string[] {
  try {
    const list: unknown = word.startsWith('[') ? JSON.parse(word) : undefined
    return Array.isArray(list) && list.length > 0 ? list.map(String) : [word]
  } catch {
    return [word]
  }
}

export function VariableBar({
  variables,
  values
}: {
  readonly variables: readonly Variable[]
  readonly values: Variables
}) {
  if (variables.length === 0) return null
  return (
    <fieldset class="choice bar">
      <legend class="hidden-label">Variables</legend>
      {variables.map(variable => (
        <Choose variable={variable} value={values.values?.[variable.name]} key={variable.name} />
      ))}
      {values.error !== undefined && <Problem error={values.error} />}
    </fieldset>
  )
}

interface ChooseProps {
  readonly variable: Variable
  readonly value: Values[string] | undefined
}

function Choose({ variable, value }: ChooseProps) {
  const { name, label = name, kind, multi, all } = variable
  const key = keyOf(name)
  const choose = (word: string | undefined) => change({ [key]: word })
  if (kind === 'text') {
    return (
      <label class="bar">
        <span class="quiet">{label}</span>
        <input value={value?.chosen[0] ?? ''} onChange={event => choose(event.currentTarget.value)} />
      </label>
    )
  }
  if (multi) return <ChooseSeveral {...{ label, value, choose }} hasAll={all === true} />
  const [chosen = ''] = value?.isAll ? [everything] : (value?.chosen ?? [])
  return (
    <label class="bar">
      <span class="quiet">{label}</span>
      <select value={chosen} onChange={event => choose(event.currentTarget.value)}>
        {all && <option value={everything}>All</option>}
        {[...new Set([...(value?.isAll ? [] : (value?.chosen ?? [])), ...(value?.all ?? [])])].map(each => (
          <option key={each}>{each}</option>
        ))}
      </select>
    </label>
  )
}

interface SeveralProps {
  readonly label: string
  readonly value: Values[string] | undefined
  readonly hasAll: boolean
  choose(word: string | undefined): void
}

function ChooseSeveral({ label, value, hasAll, choose }: SeveralProps) {
  const chosen = useMemo(() => new Set(value?.isAll ? [] : value?.chosen), [value])
  const toggle = (word: string) => {
    const next = chosen.has(word) ? [...chosen].filter(each => each !== word) : [...chosen, word]
    choose(next.length === 0 ? (hasAll ? everything : undefined) : JSON.stringify(next))
  }
  const words = value?.isAll ? 'All' : [...chosen].join(', ')
  return (
    <Menu
      title={
        <>
          <span class="quiet">{label}</span> {words.length > 40 ? `${chosen.size} chosen` : words}
        </>
      }
      label={`${label}: ${words}`}
    >
      {hasAll && (
        <label>
          <input type="checkbox" checked={value?.isAll ?? false} onChange={() => choose(everything)} /> All
        </label>
      )}
      {(value?.all ?? []).map(each => (
        <label key={each}>
          <input type="checkbox" checked={chosen.has(each)} onChange={() => toggle(each)} /> {each}
        </label>
      ))}
    </Menu>
  )
}
