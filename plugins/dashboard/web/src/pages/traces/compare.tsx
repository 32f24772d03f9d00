// Two traces side by side, by operation.
import { useMemo } from 'preact/hooks'
import { serviceOf, type Trace, traceById } from '../../api/traces.ts'
import { DataTable } from '../../components/data-table.tsx'
import { Problem } from '../../components/problem.tsx'
import { addressOf, change } from '../../router.ts'
import { database } from '../../session.ts'
import { useLoaded } from '../../task.ts'
import { formatDuration } from '../../time.ts'
import { operationColumns } from './operation-columns.ts'
import { searchWords } from './search-words.ts'
import { treeOf } from './tree.ts'

const columns = operationColumns(['spans here', 'spans there'], ['here', 'there', 'longer there'])

const kept = 'weir.traces'
const maxTraces = 10

/** Traces looked at last, for the choice of another one. */
function recentTraces(): readonly string[] {
  return JSON.parse(sessionStorage.getItem(kept) ?? '[]') as string[]
}

export function rememberTrace(id: string): void {
  sessionStorage.setItem(kept, JSON.stringify([id, ...recentTraces().filter(each => each !== id)].slice(0, maxTraces)))
}

/** Asks for the trace to compare with. */
export function CompareWith({ id }: { readonly id: string }) {
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    const other = new FormData(event.currentTarget as HTMLFormElement).get('with')
    change({ with: String(other).trim() })
  }
  return (
    <form class="joined" onSubmit={submit}>
      <input name="with" aria-label="Trace to compare with" placeholder="another trace" list="recent-traces" required />
      <datalist id="recent-traces">
        {recentTraces()
          .filter(each => each !== id)
          .map(each => (
            <option key={each}>{each}</option>
          ))}
      </datalist>
      <button type="submit">Compare</button>
    </form>
  )
}

export function Compare({ trace, other: id }: { readonly trace: Trace; readonly other: string }) {
  const { value, error, isRunning } = useLoaded(signal => traceById(id, signal), [id, database.value])
  const rows = useMemo(() => (value === undefined ? [] : differences(trace, value)), [trace, value])
  if (error !== undefined) return <Problem error={error} />
  if (value === undefined)
    return <p class="empty">{isRunning ? 'Loading …' : `There is no trace ${id} in ${database.value}.`}</p>
  const [here, there] = [trace, value].map(each => formatDuration(treeOf(each).duration / 1000))
  return (
    <section class="card stack" aria-label="Comparison">
      <div class="bar">
        <h2>
          {here} here, {there} there
        </h2>
        <a class="mono" href={addressOf('traces', { ...searchWords(), trace: id, with: trace.traceID })}>
          {id}
        </a>
        <span class="space" />
        <button type="button" onClick={() => change({ with: undefined })}>
          End the comparison
        </button>
      </div>
      <DataTable label="Operations of both" columns={columns} rows={rows} />
    </section>
  )
}

/** By operation; those with the largest difference of time first. */
function differences(here: Trace, there: Trace): readonly (readonly unknown[])[] {
  const sums = new Map<
    string,
    { service: string; operation: string; spans: [number, number]; time: [number, number] }
  >()
  for (const [side, trace] of [here, there].entries()) {
    for (const span of trace.spans) {
      const service = serviceOf(trace, span)
      const key = `${service}\0${span.operationName}`
      const sum = sums.get(key) ?? { service, operation: span.operationName, spans: [0, 0], time: [0, 0] }
      sum.spans[side as 0]++
      sum.time[side as 0] += span.duration / 1000
      sums.set(key, sum)
    }
  }
  const longer = ({ time }: { readonly time: readonly [number, number] }) => time[1] - time[0]
  return [...sums.values()]
    .sort((a, b) => Math.abs(longer(b)) - Math.abs(longer(a)))
    .map(sum => [
      sum.service,
      sum.operation,
      ...sum.spans,
      ...[...sum.time, longer(sum)].map(each => Number(each.toFixed(3)))
    ])
}
