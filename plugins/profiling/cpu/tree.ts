// V8's CPU profile as a tree of calls.
import type { CallFrame, FrameNamer } from '../frame.ts'
import { type Call, callOf } from '../profile.ts'

/** What the inspector gives; times in microseconds. */
export interface CpuProfile {
  readonly nodes: readonly CpuNode[]
  readonly startTime: number
  readonly endTime: number
  /** Number of the node seen at each sample. */
  readonly samples?: readonly number[]
  /** Between each sample and the one before. */
  readonly timeDeltas?: readonly number[]
}

interface CpuNode {
  readonly id: number
  readonly callFrame: CallFrame
  readonly children?: readonly number[]
}

/** Adds what was sampled below `parent`, in nanoseconds, without idle time. Returns its sum. */
export function addCpuProfile(parent: Call, profile: CpuProfile, nameFrame: FrameNamer): number {
  const times = timesOf(profile)
  const nodes = new Map(profile.nodes.map(node => [node.id, node]))
  const below = new Set(profile.nodes.flatMap(({ children = [] }) => children))
  let sum = 0
  const add = (node: CpuNode, call: Call) => {
    const self = times.get(node.id) ?? 0
    call.self += self
    sum += self
    for (const id of node.children ?? []) {
      const child = nodes.get(id)!
      if (isBusy(child, nodes, times)) add(child, callOf(call, nameFrame(child.callFrame)))
    }
  }
  for (const root of profile.nodes) if (!below.has(root.id)) add(root, parent)
  return sum
}

/** Each sample stands for the time until the next one. */
function timesOf({ samples = [], timeDeltas = [], startTime, endTime }: CpuProfile): ReadonlyMap<number, number> {
  const times = new Map<number, number>()
  let at = startTime
  samples.forEach((id, i) => {
    at += timeDeltas[i]!
    const until = timeDeltas[i + 1] ?? Math.max(0, endTime - at)
    times.set(id, (times.get(id) ?? 0) + Math.max(0, until) * 1000)
  })
  return times
}

function isBusy(node: CpuNode, nodes: ReadonlyMap<number, CpuNode>, times: ReadonlyMap<number, number>): boolean {
  if (node.callFrame.functionName === '(idle)' && node.callFrame.url === '') return false
  if ((times.get(node.id) ?? 0) > 0) return true
  return (node.children ?? []).some(id => isBusy(nodes.get(id)!, nodes, times))
}
