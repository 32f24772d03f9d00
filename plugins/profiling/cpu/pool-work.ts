// Attributes time of libuv's pool threads to queries, which run there beside file operations and compression. The threads have equal names,
// so Node's trace of begin and end events is used.
import type { Session } from 'node:inspector/promises'
import { after } from '../../../core/index.ts'

/** A trace event; times in microseconds. */
export interface PoolEvent {
  readonly tid: number
  readonly ph: string
  /** Kind of work: `node_api` is work of a native module. */
  readonly name: string
  /** Processor time of the thread so far. */
  readonly tts: number
  readonly cat: string
}

interface PoolTrace {
  /** Ends the tracing. */
  stop(): Promise<PoolWork>
}

/** Time spent on one kind of work, by thread, in constant memory. */
export interface PoolWork {
  /** Events of a thread must come in order. */
  add(event: PoolEvent): void
  /**
   * Milliseconds of processor time that a thread spent on it, of `spent` in total; undefined for a thread without events. Work that began
   * before the trace, or did not end in it, counts to the trace's begin or end.
   */
  cpuOf(tid: number, spent: number): number | undefined
}

const category = 'node.threadpoolwork'

/** Milliseconds to wait for the last events. */
const patience = 2000

/** Undefined if tracing is in use already. */
export async function tracePool(session: Session, kind: string): Promise<PoolTrace | undefined> {
  const work = sumWork(kind)
  const take = ({ params }: { params: { value: unknown[] } }) => {
    for (const event of params.value as PoolEvent[]) if (event.cat.endsWith('.sync')) work.add(event)
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
      const timer = after(patience, complete.resolve)
      await complete.promise
      timer.stop()
      return work
    }
  }
}

interface ThreadWork {
  readonly first: PoolEvent
  last: PoolEvent
  /** Microseconds between begin and end events. */
  inside: number
  began: number | undefined
}

export function sumWork(kind: string): PoolWork {
  const threads = new Map<number, ThreadWork>()
  return {
    add(event) {
      const { tid, ph, name, tts } = event
      if (ph !== 'B' && ph !== 'E') return
      const thread = threads.get(tid) ?? { first: event, last: event, inside: 0, began: undefined }
      threads.set(tid, thread)
      if (ph === 'E' && thread.began !== undefined && name === kind) thread.inside += tts - thread.began
      thread.began = ph === 'B' ? tts : undefined
      thread.last = event
    },
    cpuOf(tid, spent) {
      const thread = threads.get(tid)
      if (thread === undefined) return undefined
      const { first, last, inside } = thread
      const isCut = (first.ph === 'E' && first.name === kind) || (last.ph === 'B' && last.name === kind)
      const outside = isCut ? spent * 1000 - (last.tts - first.tts) : 0
      return Math.min(spent, (inside + Math.max(0, outside)) / 1000)
    }
  }
}
