// Everything one span says.
import { type Span, serviceOf, type Tag, type Trace } from '../../api/traces.ts'
import { textOf } from '../../cell.ts'
import { Drawer } from '../../components/drawer.tsx'
import { addressOf } from '../../router.ts'
import { formatDuration, formatTime } from '../../time.ts'
import { searchWords } from './search-words.ts'

export interface SpanDetailsProps {
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
      <p class="mono quiet">span {span.spanID}</p>
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
