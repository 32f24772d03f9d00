// Converts V8's sampling heap profile to a call tree of living allocations.
import type { CallFrame, FrameNamer } from '../frame.ts'
import { type Call, callOf, createRoot } from '../profile.ts'

export interface HeapNode {
  readonly callFrame: CallFrame
  /** Bytes. */
  readonly selfSize: number
  readonly children: readonly HeapNode[]
}

export function heapTree(head: HeapNode, nameFrame: FrameNamer): Call {
  const root = createRoot()
  const waiting: [HeapNode, Call][] = [[head, root]]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const [node, call] = next
    call.self += node.selfSize
    for (const child of node.children) waiting.push([child, callOf(call, nameFrame(child.callFrame))])
  }
  return root
}
