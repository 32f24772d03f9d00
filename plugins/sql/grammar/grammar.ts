// Asks the grammar's thread, one statement at a time; ends it when a statement takes too long, and starts it anew.
import type { Worker } from 'node:worker_threads'
import { after, DbError, startWorker, type Timer } from '../../../core/index.ts'
import { invalid } from '../error.ts'
import type { GrammarAnswer, GrammarTask } from './grammar.worker.ts'

interface Grammar {
  /** The library's tree of a text. Throws its error, or `InvalidArguments` if it does not end in time. */
  run(task: GrammarTask): Promise<unknown>
  close(): Promise<void>
}

/** Milliseconds for one statement, honest ones take less than ten; and how many bytes more earn a millisecond more. */
const timeLimit = 2000
const bytesPerMillisecond = 20
/** Milliseconds a new thread takes at most to load. */
const loadLimit = 20_000

/** Processor time that may be left of the limit when the clock says that it is over. */
const restShare = 0.2

interface Waiting {
  readonly task: GrammarTask
  readonly resolve: (result: unknown) => void
  readonly reject: (error: unknown) => void
}

/** The thread starts with the first task. */
export function createGrammar(): Grammar {
  const queue: Waiting[] = []
  let worker: Worker | undefined
  let busy: Waiting | undefined
  let timer: Timer | undefined
  /** Microseconds of processor time of the thread when it began with its task: between tasks it rests. */
  let before = 0

  const settle = (finish: (waiting: Waiting) => void) => {
    timer?.stop()
    const done = busy
    busy = undefined
    if (done !== undefined) finish(done)
    advance()
  }
  const discard = async () => {
    const ended = worker
    worker = undefined
    await ended?.terminate()
  }
  const fail = (error: unknown) => {
    void discard()
    settle(waiting => waiting.reject(error))
  }
  const start = () => {
    before = 0
    const created = startWorker(import.meta.url, 'grammar')
    // Without a task it keeps no process alive.
    created.unref()
    created.on('message', (answer: GrammarAnswer) => {
      if (created !== worker) return
      before = answer.used
      if ('broken' in answer) fail(isOverflow.test(answer.broken) ? tooDeep() : failed(new Error(answer.broken)))
      else if ('error' in answer) settle(waiting => waiting.reject(new Error(answer.error)))
      else {
        const result: unknown = JSON.parse(answer.result)
        settle(waiting => waiting.resolve(result))
      }
    })
    const ended = (cause?: unknown) => {
      if (created === worker) fail(failed(cause))
    }
    created.on('error', ended)
    created.on('exit', () => ended())
    return created
  }
  /** Ends a task that takes its time. On a busy machine time passes without it being at work. */
  const watch = (at: Worker, task: Waiting, limit: number) => {
    timer = after(limit, async () => {
      // Undefined of a thread that has ended.
      const used = await at.cpuUsage().catch(() => undefined)
      if (busy !== task || used === undefined) return
      const left = limit - (used.user + used.system - before) / 1000
      if (left <= limit * restShare) fail(tooDeep())
      else watch(at, task, left)
    })
  }
  const advance = () => {
    if (busy !== undefined) return
    busy = queue.shift()
    if (busy === undefined) return
    const fresh = worker === undefined
    worker ??= start()
    const limit = timeLimit + busy.task.text.length / bytesPerMillisecond + (fresh ? loadLimit : 0)
    worker.postMessage(busy.task)
    watch(worker, busy, limit)
  }

  return {
    run: task =>
      new Promise((resolve, reject) => {
        queue.push({ task, resolve, reject })
        advance()
      }),
    async close() {
      const error = new DbError('Cancelled', 'the server stops')
      for (const waiting of queue.splice(0)) waiting.reject(error)
      timer?.stop()
      busy?.reject(error)
      busy = undefined
      await discard()
    }
  }
}

/** The error if the stack or the memory is exhausted. */
const isOverflow = /unreachable|out of bounds|call stack/

function failed(cause: unknown): DbError {
  return new DbError('Internal', 'the SQL grammar failed', { cause })
}

function tooDeep(): DbError {
  return invalid('the statement is nested too deeply to be read in time')
}
