// Converts V8's heap snapshot to a tree of which objects keep which alive. Objects of one kind under the same keeper are one frame.
import { DbError } from '../../../core/wire/index.ts'
import { type Call, callOf, createRoot, type Frame, isAmount } from '../profile.ts'
import { dominators } from './dominators.ts'

interface Snapshot {
  readonly snapshot: {
    readonly meta: {
      readonly node_fields: readonly string[]
      readonly node_types: readonly (string | readonly string[])[]
      readonly edge_fields: readonly string[]
      readonly edge_types: readonly (string | readonly string[])[]
    }
  }
  readonly nodes: readonly number[]
  readonly edges: readonly number[]
  readonly strings: readonly string[]
}

/** Maximum depth of the tree; deeper objects count for their ancestor there. */
const maxDepth = 40

export function isSnapshot(value: unknown): value is Snapshot {
  const { snapshot, nodes, edges, strings } = (value ?? {}) as Partial<Snapshot>
  const meta = snapshot?.meta
  return (
    Array.isArray(meta?.node_fields) &&
    Array.isArray(meta.node_types) &&
    Array.isArray(meta.edge_fields) &&
    Array.isArray(meta.edge_types) &&
    [nodes, edges, strings].every(Array.isArray)
  )
}

/** Throws DbError `InvalidArguments` if the file is inconsistent. */
export function snapshotTree(file: Snapshot): Call {
  const graph = readGraph(file)
  const keepers = dominators(graph)
  const root = createRoot()
  const calls: (Call | undefined)[] = new Array(graph.count)
  const depths = new Uint8Array(graph.count)
  calls[0] = root
  const frames = createObjectFrames(file, graph)
  // In this order a keeper precedes what it keeps.
  for (const node of keepers.order) {
    if (node !== 0) {
      const keeper = keepers.keeper[node]!
      const above = calls[keeper]!
      depths[node] = Math.min(maxDepth, depths[keeper]! + 1)
      calls[node] = depths[keeper]! >= maxDepth ? above : callOf(above, frames(node))
    }
    calls[node]!.self += graph.sizes[node]!
  }
  return root
}

/** A graph as adjacency list. */
export interface Graph {
  readonly count: number
  readonly sizes: Float64Array
  /** First target of each node; one more entry than nodes. */
  readonly starts: Uint32Array
  readonly targets: Uint32Array
}

function readGraph({ snapshot: { meta }, nodes, edges }: Snapshot): Graph {
  const width = meta.node_fields.length
  const step = meta.edge_fields.length
  const at = (fields: readonly string[], name: string) => {
    const index = fields.indexOf(name)
    if (index < 0) throw broken(`it has no field ${name}`)
    return index
  }
  const [sizeAt, countAt] = [at(meta.node_fields, 'self_size'), at(meta.node_fields, 'edge_count')]
  const [typeAt, targetAt] = [at(meta.edge_fields, 'type'), at(meta.edge_fields, 'to_node')]
  const weak = namesOf(meta.edge_types[typeAt]).indexOf('weak')
  const count = nodes.length / width
  if (!Number.isInteger(count) || count === 0) throw broken(`${nodes.length} numbers are no nodes of ${width}`)
  const sizes = new Float64Array(count)
  const starts = new Uint32Array(count + 1)
  const targets = new Uint32Array(edges.length / step)
  let edge = 0
  let kept = 0
  for (let node = 0; node < count; node++) {
    sizes[node] = Number(nodes[node * width + sizeAt])
    if (!isAmount(sizes[node])) throw broken(`node ${node} has no size`)
    starts[node] = kept
    const own = Number(nodes[node * width + countAt])
    if (!(own >= 0) || (edge + own) * step > edges.length) throw broken(`node ${node} has more edges than the file`)
    for (const end = edge + own; edge < end; edge++) {
      const target = Number(edges[edge * step + targetAt]) / width
      if (!Number.isInteger(target) || target < 0 || target >= count) throw broken(`edge ${edge} leads to no node`)
      // Weak references do not keep objects alive.
      if (edges[edge * step + typeAt] !== weak) targets[kept++] = target
    }
  }
  starts[count] = kept
  return { count, sizes, starts, targets: targets.subarray(0, kept) }
}

function namesOf(type: unknown): readonly unknown[] {
  return Array.isArray(type) ? type : []
}

/** Named by kind and constructor: `object Map`, `string`, `closure drive`. */
function createObjectFrames({ snapshot: { meta }, nodes, strings }: Snapshot, graph: Graph): (node: number) => Frame {
  const width = nodes.length / graph.count
  const typeAt = meta.node_fields.indexOf('type')
  const nameAt = meta.node_fields.indexOf('name')
  const types = namesOf(meta.node_types[typeAt])
  const known = new Map<string, Frame>()
  return node => {
    const type = String(types[nodes[node * width + typeAt]!] ?? 'node')
    const name = isText(type) ? '' : String(strings[nodes[node * width + nameAt]!] ?? '')
    const words = `${type} ${name.length > 80 ? `${name.slice(0, 79)}…` : name}`.trim()
    let frame = known.get(words)
    if (frame === undefined) {
      frame = { name: words, file: '', line: 0, owner: 'native', kind: kinds.get(type) ?? 'native' }
      known.set(words, frame)
    }
    return frame
  }
}

/** For these types, the name is the text itself. */
function isText(type: string): boolean {
  return type === 'string' || type === 'concatenated string' || type === 'sliced string'
}

/** The meanings of the colours of its frames. */
export const snapshotLegend: Readonly<Record<Frame['kind'], string>> = {
  plugin: 'closure',
  core: 'object',
  package: 'array',
  node: 'code, hidden',
  native: 'string, other'
}

const kinds: ReadonlyMap<string, Frame['kind']> = new Map([
  ['object', 'core'],
  ['closure', 'plugin'],
  ['array', 'package'],
  ['code', 'node'],
  ['hidden', 'node'],
  ['synthetic', 'node']
])

function broken(what: string): DbError {
  return new DbError('InvalidArguments', `the body is not a valid heap snapshot: ${what}`)
}
