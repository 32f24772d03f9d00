// Traces that were found: how long they took, who took part, what failed.
import type { FoundTraces, TraceFacts } from '../../api/trace-facts.ts'
import { isError, serviceOf, type Trace } from '../../api/traces.ts'
import { addressOf } from '../../router.ts'
import { formatDuration, formatTime, type TimeSpan } from '../../time.ts'
import { countOf } from '../../words.ts'
import { Scatter } from './scatter.tsx'
import { searchWords } from './search-words.ts'
import { serviceColour } from './service-colour.ts'
import { type Tree, treeOf } from './tree.ts'

export interface ResultsProps {
  readonly traces: readonly Trace[]
  /** Of the whole time; undefined where only those of the list are known. */
  readonly all: FoundTraces | undefined
  readonly span: TimeSpan
}

export function Results({ traces, all, span }: ResultsProps) {
  const rows = traces.map(trace => {
    const tree = treeOf(trace)
    return { trace, tree, failed: errorsOf(trace), title: titleOf(trace, tree.roots[0]?.span.spanID) }
  })
  const longest = rows.reduce((max, { tree }) => Math.max(max, tree.duration), 1)
  if (rows.length === 0) return <p class="empty">Nothing found in this time.</p>
  return (
    <>
      <p class="quiet" role="status">
        {countOf(rows.length, 'trace')}, the longest {formatDuration(longest / 1000)}
      </p>
      <Scatter
        traces={dotsOf(rows, all)}
        span={span}
        words={wordsOf(all, rows.length)}
        listed={new Set(traces.map(({ traceID }) => traceID))}
      />
      <ul class="trace-list" aria-label="Traces found">
        {rows.map(({ trace, tree, failed, title }) => (
          <li key={trace.traceID}>
            <a class="card" href={addressOf('traces', { ...searchWords(), trace: trace.traceID })}>
              <span class="bar">
                <strong>{title}</strong>
                <span class="space" />
                <span>{formatDuration(tree.duration / 1000)}</span>
              </span>
              <span class="track">
                <span class="length" style={{ width: `${(100 * tree.duration) / longest}%` }} />
              </span>
              <span class="bar quiet">
                <span>{formatTime(tree.start / 1000)}</span>
                <span>{countOf(trace.spans.length, 'span')}</span>
                {failed > 0 && <span class="failed">{failed} failed</span>}
                <Services trace={trace} />
              </span>
            </a>
          </li>
        ))}
      </ul>
    </>
  )
}

interface Listed {
  readonly trace: Trace
  readonly tree: Tree
  readonly failed: number
  readonly title: string
}

/** Those of the list are there in any case. */
function dotsOf(rows: readonly Listed[], all: FoundTraces | undefined): readonly TraceFacts[] {
  const known = new Set(all?.traces.map(({ id }) => id))
  const listed = rows
    .filter(({ trace }) => !known.has(trace.traceID))
    .map(({ trace: { traceID: id, spans }, tree: { start, duration }, failed, title }) => ({
      ...{ id, title, start, duration, failed },
      spans: spans.length
    }))
  return [...(all?.traces ?? []), ...listed]
}

function wordsOf(all: FoundTraces | undefined, listed: number): string {
  if (all === undefined) return `The ${countOf(listed, 'trace')} of the list: there may be more.`
  const { traces } = all
  if (traces.length >= all.all) return `All of this time: ${countOf(traces.length, 'trace')}.`
  return `${countOf(traces.length, 'trace')} of some ${all.all.toLocaleString('en')}: a sample, and the longest ones.`
}

function Services({ trace }: { readonly trace: Trace }) {
  const counts = new Map<string, number>()
  for (const span of trace.spans) {
    const service = serviceOf(trace, span)
    counts.set(service, (counts.get(service) ?? 0) + 1)
  }
  return (
    <>
      {Array.from(counts, ([service, count]) => (
        <span key={service} class="service">
          <span class="swatch" style={{ background: serviceColour(service) }} /> {service} ({count})
        </span>
      ))}
    </>
  )
}

function titleOf(trace: Trace, root: string | undefined): string {
  const span = trace.spans.find(({ spanID }) => spanID === root)
  return span === undefined ? trace.traceID : `${serviceOf(trace, span)}: ${span.operationName}`
}

function errorsOf({ spans }: Trace): number {
  return spans.filter(isError).length
}
