// All attributes and events of one span.
import { type Span, serviceOf, type Tag, type Trace } from '../../api/traces.ts'
import { textOf } from '../../cell.ts'
import { Drawer } from '../../components/drawer.tsx'
import { addressOf } from '../../router.ts'
import { formatDuration, formatTime } from '../../time.ts'
import { searchWords } from './search-words.ts'
import { SpanMetrics } from './span-metrics.tsx'

interface SpanDetailsProps {
  readonly trace: Trace
  readonly span: Span
  /** Of the trace, microseconds since 1970. */
  readonly start: number
  onClose(): void
}

export function SpanDetails({ trace, span, start, onClose }: SpanDetailsProps) {
  const links = span.references.filter(({ refType }) => refType !== 'CHILD_OF')
  return (
    <Drawer title={span.operationName} onClose={onClose}>
      <p class="quiet">
        {serviceOf(trace, span)}, {formatTime(span.startTime / 1000)}, {formatDuration((span.startTime - start) / 1000)}{' '}
        after the start, for {formatDuration(span.duration / 1000)}
      </p>
      <div class="bar">
        <span class="mono quiet">span {span.spanID}</span>
        <span class="space" />
        <a class="button" href={addressOf('logs', { trace: trace.traceID, span: span.spanID, ...timesAround(span) })}>
          Logs of it
        </a>
        <SpanMetrics trace={trace} span={span} key={span.spanID} />
      </div>
      <Tags title="Tags" tags={span.tags} />
      <Tags title="Process" tags={trace.processes[span.processID]?.tags ?? []} />
      {span.logs.length > 0 && <h3>Events</h3>}
      {span.logs.map(({ timestamp, fields }, i) => (
        <Tags key={i} title={`${formatDuration((timestamp - start) / 1000)} after the start`} tags={fields} />
      ))}
      {links.length > 0 && <h3>Links</h3>}
      {links.map(({ traceID, spanID }) => (
        <a
          key={traceID + spanID}
          class="mono"
          href={addressOf('traces', { ...searchWords(), trace: traceID, span: spanID })}
        >
          {traceID}
        </a>
      ))}
    </Drawer>
  )
}

/** Milliseconds before and after a span in which its lines are looked for. */
const reach = 60_000

function timesAround({ startTime, duration }: Span): { readonly from: string; readonly to: string } {
  const [from, to] = [startTime / 1000 - reach, (startTime + duration) / 1000 + reach].map(at =>
    new Date(at).toISOString()
  )
  return { from: from!, to: to! }
}

function Tags({ title, tags }: { readonly title: string; readonly tags: readonly Tag[] }) {
  if (tags.length === 0) return null
  return (
    <section class="stack" aria-label={title}>
      <h3>{title}</h3>
      <table class="plain tags">
        <tbody>
          {tags.map(({ key, value }) => (
            <tr key={key}>
              <th scope="row">{key}</th>
              <td class="mono">{textOf(value)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
