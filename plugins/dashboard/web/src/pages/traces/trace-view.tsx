// One trace as a waterfall.
import { useMemo, useState } from 'preact/hooks'
import { isError, type Span, serviceOf, type Trace, traceById } from '../../api/traces.ts'
import { Problem } from '../../components/problem.tsx'
import { SearchBox } from '../../components/search-box.tsx'
import { addressOf, change, parameters } from '../../router.ts'
import { database } from '../../session.ts'
import { useLoaded } from '../../task.ts'
import { formatDuration, formatTime } from '../../time.ts'
import { countOf } from '../../words.ts'
import { Compare, CompareWith, rememberTrace } from './compare.tsx'
import { searchWords } from './search-words.ts'
import { learnServices, meetServices } from './service-colour.ts'
import { SpanDetails } from './span-details.tsx'
import { rowsOf, treeOf } from './tree.ts'
import { Waterfall } from './waterfall.tsx'

/** Milliseconds. */
const reach = 600_000

export function TraceView({ id }: { readonly id: string }) {
  const { value, error, isRunning } = useLoaded(
    async signal => {
      const [trace] = await Promise.all([traceById(id, signal), learnServices(signal).catch(() => [])])
      if (trace) rememberTrace(trace.traceID)
      if (trace) meetServices(Object.values(trace.processes).map(({ serviceName }) => serviceName))
      return trace
    },
    [id, database.value]
  )
  const other = parameters.value.get('with')
  return (
    <>
      <div class="bar">
        <h1>Trace</h1>
        <span class="mono quiet">{id}</span>
        <span class="space" />
        <a class="button" href={addressOf('logs', { trace: id, ...(value && timesAround(value)) })}>
          Logs of it
        </a>
        <CompareWith id={id} />
        <a class="button" href={addressOf('traces', searchWords())}>
          Search
        </a>
      </div>
      {error !== undefined && <Problem error={error} />}
      {value === undefined && error === undefined && (
        <p class="empty">{isRunning ? 'Loading …' : `There is no trace ${id} in ${database.value}.`}</p>
      )}
      {value && other !== null && <Compare trace={value} other={other} />}
      {value && <Whole trace={value} />}
    </>
  )
}

/** Lines may be written a while before and after the spans. */
function timesAround(trace: Trace): { readonly from: string; readonly to: string } {
  const { start, duration } = treeOf(trace)
  const [from, to] = [start / 1000 - reach, (start + duration) / 1000 + reach].map(at => new Date(at).toISOString())
  return { from: from!, to: to! }
}

function Whole({ trace }: { readonly trace: Trace }) {
  const tree = useMemo(() => treeOf(trace), [trace])
  const [closed, setClosed] = useState<ReadonlySet<string>>(new Set())
  const [wanted, setWanted] = useState('')
  const rows = useMemo(() => rowsOf(tree.roots, closed), [tree, closed])
  const parents = trace.spans.filter(({ spanID }) =>
    rows.some(row => row.span.spanID === spanID && row.children.length > 0)
  )
  const found = useMemo(() => matching(trace, wanted), [trace, wanted])
  const chosen = trace.spans.find(({ spanID }) => spanID === parameters.value.get('span'))
  const failed = trace.spans.filter(isError).length
  const toggle = (span: string) =>
    setClosed(before => {
      const next = new Set(before)
      if (!next.delete(span)) next.add(span)
      return next
    })
  return (
    <>
      <div class="bar">
        <span>
          {formatTime(tree.start / 1000)}, {formatDuration(tree.duration / 1000)}, {countOf(trace.spans.length, 'span')}
          {failed > 0 && <span class="failed">, {failed} failed</span>}
        </span>
        <span class="space" />
        <SearchBox label="Search in this trace" value={wanted} onChange={setWanted} />
        {wanted !== '' && <span class="quiet">{countOf(found!.size, 'span')}</span>}
        <button
          type="button"
          onClick={() => setClosed(closed.size > 0 ? new Set() : new Set(parents.map(({ spanID }) => spanID)))}
        >
          {closed.size > 0 ? 'Open all' : 'Close all'}
        </button>
      </div>
      <Waterfall
        trace={trace}
        tree={tree}
        rows={rows}
        closed={closed}
        found={found}
        chosen={chosen?.spanID}
        onToggle={toggle}
        onChoose={span => change({ span }, true)}
      />
      {chosen && (
        <SpanDetails trace={trace} span={chosen} start={tree.start} onClose={() => change({ span: undefined }, true)} />
      )}
    </>
  )
}

/** Spans with the words anywhere; undefined without words. */
function matching(trace: Trace, wanted: string): ReadonlySet<string> | undefined {
  if (wanted.trim() === '') return undefined
  const words = wanted.toLowerCase().trim()
  const has = (span: Span) =>
    JSON.stringify([span.operationName, serviceOf(trace, span), span.spanID, span.tags, span.logs])
      .toLowerCase()
      .includes(words)
  return new Set(trace.spans.filter(has).map(({ spanID }) => spanID))
}
