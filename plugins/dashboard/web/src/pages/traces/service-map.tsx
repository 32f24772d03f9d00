// Who calls whom, how often, how long it takes, and what fails: as far as the traces found tell.
import { useMemo } from 'preact/hooks'
import type { Trace } from '../../api/traces.ts'
import { formatDuration } from '../../time.ts'
import { countOf } from '../../words.ts'
import { serviceColour } from './service-colour.ts'
import { type ServiceNode, serviceMapOf } from './summary.ts'

/** Pixels. */
const box = { width: 190, height: 62, across: 90, down: 22 }

export function ServiceMap({ traces }: { readonly traces: readonly Trace[] }) {
  const { nodes, edges } = useMemo(() => serviceMapOf(traces), [traces])
  const places = placesOf(nodes)
  const width = Math.max(...Array.from(places.values(), ({ x }) => x)) + box.width + 4
  const height = Math.max(...Array.from(places.values(), ({ y }) => y)) + box.height + 4
  const most = Math.max(1, ...edges.map(({ calls }) => calls))
  return (
    <section class="card service-map" aria-label="Service map" tabIndex={0}>
      <svg
        width={width}
        height={height}
        viewBox={`0 0 ${width} ${height}`}
        role="img"
        aria-label="Calls between services"
      >
        {edges.map(({ from, to, calls, failed }) => {
          const [a, b] = [places.get(from)!, places.get(to)!]
          const [x1, y1, x2, y2] = [a.x + box.width, a.y + box.height / 2, b.x, b.y + box.height / 2]
          const middle = (x1 + x2) / 2
          return (
            <path
              key={`${from} ${to}`}
              d={`M${x1},${y1} C${middle},${y1} ${middle},${y2} ${x2},${y2}`}
              class={failed > 0 ? 'call bad' : 'call'}
              stroke-width={1 + (4 * calls) / most}
            >
              <title>
                {from} calls {to} {countOf(calls, 'time')}
                {failed > 0 && `, ${failed} failed`}
              </title>
            </path>
          )
        })}
        {nodes.map(node => (
          <Node key={node.service} node={node} {...places.get(node.service)!} />
        ))}
      </svg>
    </section>
  )
}

function Node({ node, x, y }: { readonly node: ServiceNode; readonly x: number; readonly y: number }) {
  const { service, calls, failed, median, p95 } = node
  const name = service.length > 22 ? `${service.slice(0, 21)}…` : service
  return (
    <g transform={`translate(${x} ${y})`} class={failed > 0 ? 'service-node bad' : 'service-node'}>
      <title>{service}</title>
      <rect width={box.width} height={box.height} rx={6} />
      <rect width={5} height={box.height} rx={2} style={{ fill: serviceColour(service), stroke: 'none' }} />
      <text x={14} y={19} class="name">
        {name}
      </text>
      <text x={14} y={36}>
        {countOf(calls, 'span')}
        {failed > 0 && `, ${((100 * failed) / calls).toFixed(1)} % failed`}
      </text>
      <text x={14} y={52}>
        p50 {formatDuration(median)}, p95 {formatDuration(p95)}
      </text>
    </g>
  )
}

/** Columns by depth, from the left. */
function placesOf(nodes: readonly ServiceNode[]): ReadonlyMap<string, { readonly x: number; readonly y: number }> {
  const filled = new Map<number, number>()
  return new Map(
    nodes.map(({ service, depth }) => {
      const row = filled.get(depth) ?? 0
      filled.set(depth, row + 1)
      return [service, { x: 2 + depth * (box.width + box.across), y: 2 + row * (box.height + box.down) }]
    })
  )
}
