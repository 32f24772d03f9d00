// The spans of a trace as the tree they are.
import type { Span, Trace } from '../../api/traces.ts'

export interface Node {
  readonly span: Span
  readonly depth: number
  readonly children: readonly Node[]
}

export interface Tree {
  /** Spans whose parent is not there are roots, too. */
  readonly roots: readonly Node[]
  /** Microseconds since 1970. */
  readonly start: number
  /** Microseconds. */
  readonly duration: number
}

export function treeOf({ spans }: Trace): Tree {
  const known = new Set(spans.map(({ spanID }) => spanID))
  const children = new Map<string, Span[]>()
  const roots: Span[] = []
  for (const span of spans.toSorted((a, b) => a.startTime - b.startTime)) {
    const parent = parentOf(span)
    if (parent === undefined || !known.has(parent) || parent === span.spanID) roots.push(span)
    else children.set(parent, [...(children.get(parent) ?? []), span])
  }
  const seen = new Set<string>()
  const grow = (span: Span, depth: number): Node => {
    seen.add(span.spanID)
    const below = (children.get(span.spanID) ?? []).filter(({ spanID }) => !seen.has(spanID))
    return { span, depth, children: below.map(child => grow(child, depth + 1)) }
  }
  const start = spans.reduce((first, { startTime }) => Math.min(first, startTime), Number.POSITIVE_INFINITY)
  const end = spans.reduce(
    (last, { startTime, duration }) => Math.max(last, startTime + duration),
    Number.NEGATIVE_INFINITY
  )
  return { roots: roots.map(span => grow(span, 0)), start, duration: Math.max(1, end - start) }
}

/** In the order of the page, without what is below closed ones. */
export function rowsOf(roots: readonly Node[], closed: ReadonlySet<string>): Node[] {
  return roots.flatMap(node => [node, ...(closed.has(node.span.spanID) ? [] : rowsOf(node.children, closed))])
}

function parentOf({ references }: Span): string | undefined {
  return references.find(({ refType }) => refType === 'CHILD_OF')?.spanID
}
