// Who calls whom: how often, how long it takes, and how much of it fails, of all traces of the time.
import { useMemo } from 'preact/hooks'
import { type Calls, type Figures, loadServiceCalls, type ServiceFigures } from '../../api/spans.ts'
import { Problem } from '../../components/problem.tsx'
import { addressOf } from '../../router.ts'
import { database } from '../../session.ts'
import { useLoaded } from '../../task.ts'
import { currentSpan, formatDuration, timeWords } from '../../time.ts'
import { countOf } from '../../words.ts'
import { box, layOut, type Position } from './map-layout.ts'
import { learnServices, serviceColour } from './service-colour.ts'

export function ServiceMap() {
  const { value, error } = useLoaded(
    async signal => {
      const span = currentSpan()
      const [found] = await Promise.all([loadServiceCalls(span, { db: database.value, signal }), learnServices(signal)])
      return { ...found, seconds: (span.to - span.from) / 1_000 }
    },
    [database.value, timeWords.value]
  )
  const { services, calls, seconds, sampled } = value ?? nothing
  const positions = useMemo(() => layOut(services, calls), [services, calls])
  if (error !== undefined) return <Problem error={error} />
  if (value === undefined) return <p class="empty">Loading …</p>
  if (services.length === 0) return <p class="empty">No spans in this time.</p>
  const width = Math.max(...Array.from(positions.values(), ({ x }) => x)) + box.width + 4
  const height = Math.max(...Array.from(positions.values(), ({ y }) => y)) + box.height + 4
  const max = Math.max(1, ...calls.map(({ spans }) => spans))
  const drawn = calls.filter(({ from, to }) => positions.has(from) && positions.has(to))
  return (
    <>
      <p class="quiet" role="status">
        {countOf(services.length, 'service')}; lines say how often one calls another, how much of it fails, and how long
        95 % of it take at most{sampled > 1 && `, counted in one of ${sampled} traces`}
      </p>
      <section class="card service-map" aria-label="Service map" tabIndex={0}>
        <svg width={width} height={height} viewBox={`0 0 ${width} ${height}`} aria-label="Calls between services">
          {drawn.map(call => (
            <Call
              key={`${call.from} ${call.to}`}
              call={call}
              from={positions.get(call.from)!}
              to={positions.get(call.to)!}
              seconds={seconds}
              max={max}
            />
          ))}
          {services.map(node => (
            <Node key={node.service} node={node} seconds={seconds} {...positions.get(node.service)!} />
          ))}
        </svg>
      </section>
    </>
  )
}

const nothing = { services: [], calls: [], seconds: 1, sampled: 1 }

/** Pixels of the label of a call. */
const words = 116

interface CallProps {
  readonly call: Calls
  readonly from: Position
  readonly to: Position
  readonly seconds: number
  /** The largest number of calls between two services. */
  readonly max: number
}

function Call({ call, from: a, to: b, seconds, max }: CallProps) {
  const { from, to, spans, failed, p95 } = call
  const [x1, y1, x2, y2] = [a.x + box.width, a.y + box.height / 2, b.x, b.y + box.height / 2]
  // Straight where the words stand.
  const bend = x2 - words
  const middle = (x1 + bend) / 2
  return (
    <g class={failed > 0 ? 'bad' : undefined}>
      <path
        d={`M${x1},${y1} C${middle},${y1} ${middle},${y2} ${bend},${y2} L${x2},${y2}`}
        class={failed > 0 ? 'call bad' : 'call'}
        stroke-width={1 + (4 * spans) / max}
      >
        <title>
          {from} calls {to} {countOf(spans, 'time')}
          {failed > 0 && `, ${failed.toLocaleString('en')} failed`}, p95 {formatDuration(p95)}
        </title>
      </path>
      <text class="figures" x={x2 - 10} y={y2 - 8} text-anchor="end">
        {rateWords(spans, seconds)}
        {failed > 0 && `, ${failedWords(call)}`}
      </text>
      <text class="figures" x={x2 - 10} y={y2 + 17} text-anchor="end">
        p95 {formatDuration(p95)}
      </text>
    </g>
  )
}

interface NodeProps extends Position {
  readonly node: ServiceFigures
  readonly seconds: number
}

function Node({ node, seconds, x, y }: NodeProps) {
  const { service, spans, failed, median, p95 } = node
  const name = service.length > 22 ? `${service.slice(0, 21)}…` : service
  return (
    <a href={addressOf('traces', { service })}>
      <g transform={`translate(${x} ${y})`} class={failed > 0 ? 'service-node bad' : 'service-node'}>
        <title>Traces of {service}</title>
        <rect width={box.width} height={box.height} rx={6} />
        <rect width={5} height={box.height} rx={2} style={{ fill: serviceColour(service), stroke: 'none' }} />
        <text x={14} y={19} class="name">
          {name}
        </text>
        <text x={14} y={36}>
          {rateWords(spans, seconds)}
          {failed > 0 && `, ${failedWords(node)}`}
        </text>
        <text x={14} y={52}>
          p50 {formatDuration(median)}, p95 {formatDuration(p95)}
        </text>
      </g>
    </a>
  )
}

function failedWords({ failed, spans }: Figures): string {
  return `${Number(((100 * failed) / spans).toPrecision(2))} % fail`
}

/** In the unit that gives a number people read. */
function rateWords(count: number, seconds: number): string {
  const units = [
    ['s', 1],
    ['min', 60],
    ['h', 3_600]
  ] as const
  const [unit, length] = units.find(([, length]) => (count / seconds) * length >= 1) ?? ['day', 86_400]
  return `${Number(((count / seconds) * length).toPrecision(3))}/${unit}`
}
