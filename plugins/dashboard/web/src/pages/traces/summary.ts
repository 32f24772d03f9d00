// What traces say together: of each service and each operation how often, how long and how often in vain; who calls whom.
import { isError, type Span, serviceOf, type Trace } from '../../api/traces.ts'

export interface Figures {
  readonly calls: number
  readonly failed: number
  /** Milliseconds. */
  readonly median: number
  readonly p95: number
  readonly longest: number
}

export interface ServiceNode extends Figures {
  readonly service: string
  /** Calls from those that nobody calls. */
  readonly depth: number
}

export interface ServiceEdge {
  readonly from: string
  readonly to: string
  readonly calls: number
  readonly failed: number
}

export interface ServiceMap {
  readonly nodes: readonly ServiceNode[]
  readonly edges: readonly ServiceEdge[]
}

export interface Operation extends Figures {
  readonly service: string
  readonly operation: string
}

export function operationsOf(traces: readonly Trace[]): readonly Operation[] {
  const groups = new Map<string, { readonly service: string; readonly operation: string; readonly spans: Span[] }>()
  for (const trace of traces) {
    for (const span of trace.spans) {
      const service = serviceOf(trace, span)
      const key = JSON.stringify([service, span.operationName])
      const group = groups.get(key) ?? { service, operation: span.operationName, spans: [] }
      group.spans.push(span)
      groups.set(key, group)
    }
  }
  return Array.from(groups.values(), ({ spans, ...names }) => ({ ...names, ...figuresOf(spans) })).sort(
    (a, b) => b.calls * b.median - a.calls * a.median
  )
}

export function serviceMapOf(traces: readonly Trace[]): ServiceMap {
  const spans = new Map<string, Span[]>()
  const edges = new Map<string, { from: string; to: string; calls: number; failed: number }>()
  for (const trace of traces) {
    const byId = new Map(trace.spans.map(span => [span.spanID, span]))
    for (const span of trace.spans) {
      const service = serviceOf(trace, span)
      const list = spans.get(service)
      if (list === undefined) spans.set(service, [span])
      else list.push(span)
      const parent = byId.get(span.references.find(({ refType }) => refType === 'CHILD_OF')?.spanID ?? '')
      const caller = parent && serviceOf(trace, parent)
      if (caller === undefined || caller === service) continue
      const key = JSON.stringify([caller, service])
      const edge = edges.get(key) ?? { from: caller, to: service, calls: 0, failed: 0 }
      edge.calls++
      if (isError(span)) edge.failed++
      edges.set(key, edge)
    }
  }
  const list = [...edges.values()]
  const depths = depthsOf([...spans.keys()], list)
  const nodes = Array.from(spans, ([service, own]) => ({ service, depth: depths.get(service)!, ...figuresOf(own) }))
  return { nodes: nodes.sort((a, b) => a.depth - b.depth || (a.service < b.service ? -1 : 1)), edges: list }
}

/** Each one further than those that call it; services that call each other in a circle end it somewhere. */
function depthsOf(services: readonly string[], edges: readonly ServiceEdge[]): ReadonlyMap<string, number> {
  const depths = new Map(services.map(service => [service, 0]))
  for (let round = 0; round < services.length; round++) {
    let changed = false
    for (const { from, to } of edges) {
      const depth = depths.get(from)! + 1
      if (depth <= depths.get(to)! || depth >= services.length) continue
      depths.set(to, depth)
      changed = true
    }
    if (!changed) break
  }
  return depths
}

function figuresOf(spans: readonly Span[]): Figures {
  const sorted = spans.map(({ duration }) => duration / 1000).sort((a, b) => a - b)
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))]!
  return {
    calls: spans.length,
    failed: spans.filter(isError).length,
    median: at(0.5),
    p95: at(0.95),
    longest: sorted.at(-1)!
  }
}
