// Where services stand on a map: columns from the left, each service further right than those that call it.
import type { Calls, ServiceFigures } from '../../api/spans.ts'

/** Pixels. */
export const box = { width: 190, height: 62, across: 170, down: 26 }

export interface Position {
  readonly x: number
  readonly y: number
}

export function layOut(services: readonly ServiceFigures[], calls: readonly Calls[]): ReadonlyMap<string, Position> {
  const depths = depthsOf(
    services.map(({ service }) => service),
    calls
  )
  const filled = new Map<number, number>()
  const ordered = [...depths].sort(([a, left], [b, right]) => left - right || (a < b ? -1 : 1))
  return new Map(
    ordered.map(([service, depth]) => {
      const row = filled.get(depth) ?? 0
      filled.set(depth, row + 1)
      return [service, { x: 2 + depth * (box.width + box.across), y: 2 + row * (box.height + box.down) }]
    })
  )
}

/** Services that call each other in a circle end it somewhere. */
function depthsOf(services: readonly string[], calls: readonly Calls[]): ReadonlyMap<string, number> {
  const depths = new Map(services.map(service => [service, 0]))
  for (let round = 0; round < services.length; round++) {
    let changed = false
    for (const { from, to } of calls) {
      if (!depths.has(from) || !depths.has(to)) continue
      const depth = depths.get(from)! + 1
      if (depth <= depths.get(to)! || depth >= services.length) continue
      depths.set(to, depth)
      changed = true
    }
    if (!changed) break
  }
  return depths
}
