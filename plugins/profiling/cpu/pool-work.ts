// What the threads of libuv's pool worked on: queries run there, and so do files and compression. The threads all have one name, so each
// piece of work is followed from its begin to its end.
import type { Session } from 'node:inspector/promises'

/** One line of Node's trace of the pool; times in microseconds. */
export interface PoolEvent {
  readonly tid: number
  readonly ph: string
  /** What kind of work: `node_api` is work of a native module. */
  readonly name: string
  /** Processor time of the thread so far. */
  readonly tts: number
  readonly cat: string
}

export interface PoolTrace {
  /** Ends it; the events so far, in the order of each thread. */
  stop(): Promise<readonly PoolEvent[]>
}

const category = 'node.threadpoolwork'

/** Milliseconds the trace has to hand over its last events. */
const patience = 2000

/** Undefined where somebody else is tracing already. */
export async function tracePool(session: Session): Promise<PoolTrace | undefined> {
  const events: PoolEvent[] = []
  const take = ({ params }: { params: { value: unknown[] } }) => {
    for (const event of params.value as PoolEvent[]) events.push(event)
  }
  const complete = Promise.withResolvers<void>()
  session.on('NodeTracing.dataCollected', take as never)
  session.on('NodeTracing.tracingComplete', () => complete.resolve())
  try {
    await session.post('NodeTracing.start', { traceConfig: { includedCategories: [category] } })
  } catch {
    return undefined
  }
  return {
    async stop() {
      await session.post('NodeTracing.stop')
      const timer = setTimeout(complete.resolve, patience)
      await complete.promise
      clearTimeout(timer)
      return events.filter(({ cat, ph }) => cat.endsWith('.sync') && (ph === 'B' || ph === 'E'))
    }
  }
}

/**
 * Milliseconds of processor time a thread put into one kind of work, of the `spent` ones it had; `events` are its own. Work that began
 * before the trace or did not end in it has what lies before the first or behind the last event.
 */
export function cpuOfWork(events: readonly PoolEvent[], kind: string, spent: number): number {
  const first = events[0]
  const last = events.at(-1)
  if (first === undefined || last === undefined) return 0
  let inside = 0
  let began: number | undefined
  for (const { ph, name, tts } of events) {
    if (ph === 'E' && began !== undefined && name === kind) inside += tts - began
    began = ph === 'B' ? tts : undefined
  }
  const isCut = (first.ph === 'E' && first.name === kind) || (last.ph === 'B' && last.name === kind)
  const outside = isCut ? spent * 1000 - (last.tts - first.tts) : 0
  return Math.min(spent, (inside + Math.max(0, outside)) / 1000)
}
