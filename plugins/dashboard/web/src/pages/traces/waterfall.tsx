// Spans below each other, each a bar where it was in time.
import { isError, serviceOf, type Trace } from '../../api/traces.ts'
import { formatDuration } from '../../time.ts'
import { serviceColour } from './service-colour.ts'
import type { Node, Tree } from './tree.ts'

/** Rows in the page at most. */
const maxRows = 2000

interface WaterfallProps {
  readonly trace: Trace
  readonly tree: Tree
  readonly rows: readonly Node[]
  readonly closed: ReadonlySet<string>
  /** Spans a search found. */
  readonly found: ReadonlySet<string> | undefined
  readonly chosen: string | undefined
  onToggle(span: string): void
  onChoose(span: string): void
}

export function Waterfall(props: WaterfallProps) {
  const { tree, rows } = props
  return (
    <section class="card waterfall" aria-label="Spans" tabIndex={0}>
      <div class="scale">
        <span />
        <span class="ticks">
          {[0, 0.25, 0.5, 0.75, 1].map(share => (
            <span key={share}>{formatDuration((share * tree.duration) / 1000)}</span>
          ))}
        </span>
      </div>
      {rows.slice(0, maxRows).map(node => (
        <Row key={node.span.spanID} node={node} {...props} />
      ))}
      {rows.length > maxRows && (
        <p class="quiet">
          The first {maxRows} of {rows.length} spans; close some to see others.
        </p>
      )}
    </section>
  )
}

function Row({
  node,
  trace,
  tree,
  closed,
  found,
  chosen,
  onToggle,
  onChoose
}: WaterfallProps & { readonly node: Node }) {
  const { span, depth, children } = node
  const { spanID, operationName, startTime, duration } = span
  const service = serviceOf(trace, span)
  const isClosed = closed.has(spanID)
  const [from, to] = [startTime - tree.start, startTime - tree.start + duration].map(at => (100 * at) / tree.duration)
  const classes = ['row', found && !found.has(spanID) && 'dim', spanID === chosen && 'chosen'].filter(Boolean).join(' ')
  return (
    <div class={classes}>
      <span class="name" style={{ paddingLeft: `${Math.min(depth, 20) * 14}px` }}>
        {children.length > 0 ? (
          <button
            type="button"
            class="plain toggle"
            aria-expanded={!isClosed}
            aria-label={`${isClosed ? 'Open' : 'Close'} ${operationName}`}
            onClick={() => onToggle(spanID)}
          >
            {isClosed ? '▸' : '▾'}
          </button>
        ) : (
          <span class="toggle" />
        )}
        <button type="button" class="plain label" onClick={() => onChoose(spanID)}>
          <span class="swatch" style={{ background: serviceColour(service) }} />
          {isError(span) && <span class="mark">failed</span>}
          <span class="words" title={`${service} ${operationName}`}>
            <span class="service">{service}</span> {operationName}
          </span>
        </button>
      </span>
      <span class="track">
        <span
          class={isError(span) ? 'length bad' : 'length'}
          style={{
            left: `${from}%`,
            width: `max(2px, ${to! - from!}%)`,
            background: serviceColour(service)
          }}
        />
        <span class="took" style={from! < 80 ? { left: `${from}%` } : { right: `${Math.max(0, 100 - to!)}%` }}>
          {formatDuration(duration / 1000)}
        </span>
      </span>
    </div>
  )
}
