// Which object keeps which alive: the nearest one that every way from the root goes through.
import type { Graph } from './heap-snapshot.ts'

interface Keepers {
  /** Nodes that can be reached, every keeper before what it keeps; the first is the root. */
  readonly order: Uint32Array
  /** By node the one that keeps it. */
  readonly keeper: Uint32Array
}

/** By the iterative method of Cooper, Harvey and Kennedy ("A Simple, Fast Dominance Algorithm"); node 0 is the root. */
export function dominators(graph: Graph): Keepers {
  const order = reversePostorder(graph)
  const position = new Uint32Array(graph.count)
  order.forEach((node, i) => {
    position[node] = i
  })
  const { starts, sources } = reverse(graph, order)
  /** By position in the order; the own position plus one, so that 0 is unknown. */
  const nearest = new Uint32Array(order.length)
  nearest[0] = 1
  for (let changed = true; changed; ) {
    changed = false
    for (let i = 1; i < order.length; i++) {
      const node = order[i]!
      let found = 0
      for (let edge = starts[node]!; edge < starts[node + 1]!; edge++) {
        const source = position[sources[edge]!]! + 1
        if (nearest[source - 1] === 0) continue
        found = found === 0 ? source : meet(nearest, found, source)
      }
      if (nearest[i] === found) continue
      nearest[i] = found
      changed = true
    }
  }
  const keeper = new Uint32Array(graph.count)
  for (let i = 1; i < order.length; i++) keeper[order[i]!] = order[nearest[i]! - 1]!
  return { order, keeper }
}

function meet(nearest: Uint32Array, first: number, second: number): number {
  let [a, b] = [first, second]
  while (a !== b) {
    while (a > b) a = nearest[a - 1]!
    while (b > a) b = nearest[b - 1]!
  }
  return a
}

function reversePostorder({ count, starts, targets }: Graph): Uint32Array {
  const order = new Uint32Array(count)
  const seen = new Uint8Array(count)
  const path = new Uint32Array(count)
  const next = starts.slice()
  let depth = 1
  let free = count
  seen[0] = 1
  while (depth > 0) {
    const node = path[depth - 1]!
    if (next[node]! === starts[node + 1]!) {
      order[--free] = node
      depth--
      continue
    }
    const target = targets[next[node]!++]!
    if (seen[target]) continue
    seen[target] = 1
    path[depth++] = target
  }
  return order.subarray(free)
}

/** By node where edges to it come from, of those that can be reached. */
function reverse({ count, starts, targets }: Graph, order: Uint32Array) {
  const firsts = new Uint32Array(count + 1)
  for (const node of order) {
    for (let edge = starts[node]!; edge < starts[node + 1]!; edge++) firsts[targets[edge]! + 1]!++
  }
  for (let node = 0; node < count; node++) firsts[node + 1]! += firsts[node]!
  const sources = new Uint32Array(firsts[count]!)
  const free = firsts.slice()
  for (const node of order) {
    for (let edge = starts[node]!; edge < starts[node + 1]!; edge++) sources[free[targets[edge]!]!++] = node
  }
  return { starts: firsts, sources }
}
