// Converts V8's CPU profile to a call tree.
import type { CallFrame, FrameNamer } from '../frame.ts'
import { type Call, callOf } from '../profile.ts'

/** A profile of the inspector; times in microseconds. */
export interface CpuProfile {
  readonly nodes: readonly CpuNode[]
  readonly startTime: number
  readonly endTime: number
  /** Node id per sample. */
  readonly samples?: readonly number[]
  /** Time since the previous sample. */
  readonly timeDeltas?: readonly number[]
}

interface CpuNode {
  readonly id: number
  readonly callFrame: CallFrame
  readonly children?: readonly number[]
}

/** Adds the sampled times below `parent`, in nanoseconds, without idle time. Returns their sum. */
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

/** A sample counts for the time until the next one. */
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
