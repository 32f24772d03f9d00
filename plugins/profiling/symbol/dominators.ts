// Computes dominators: for each object, the closest one that all paths from the root pass through.
import type { Graph } from './heap-snapshot.ts'

interface Keepers {
  /** Reachable nodes, each after the one that keeps it alive; the first is the root. */
  readonly order: Uint32Array
  /** The immediate dominator of each node. */
  readonly keeper: Uint32Array
}

/** The iterative algorithm of Cooper, Harvey and Kennedy ("A Simple, Fast Dominance Algorithm"); node 0 is the root. */
export function dominators(graph: Graph): Keepers {
  const order = reversePostorder(graph)
  const position = new Uint32Array(graph.count)
  order.forEach((node, i) => {
    position[node] = i
  })
  const { starts, sources } = reverse(graph, order)
  /** Indexed by position in the order; holds a position plus one, 0 for unknown. */
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

/** The sources of incoming edges by node, for reachable sources. */
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
