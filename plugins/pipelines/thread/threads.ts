// The pool of pipeline threads. A task has a budget of processor time; a thread whose task exceeds it is terminated.

import { MessageChannel, type MessagePort, type Worker } from 'node:worker_threads'
import { after, DbError, formatSize, isDbError, pause, startWorker, type Timer } from '../../../core/index.ts'
import { toPlainError } from '../../../core/wire/index.ts'
import type { Message, Outcome, Question, Reply, Task, ThreadOptions } from './task.ts'

interface ThreadsOptions {
  /** Threads there are at most; the first one starts with the first piece of work. */
  readonly size: () => number
  /** Largest heap of a thread, in bytes. */
  readonly memory: number
  /** Milliseconds of processor time one piece of work may take, and the key that says so. */
  readonly budget: () => { readonly max: number; readonly key: string }
  /** The data every thread starts with. */
  readonly start: () => Omit<ThreadOptions, 'answered' | 'questions'>
  /** Answers a thread; throws DbError. */
  readonly answer: (question: Question) => unknown
  /** Receives messages of processors. */
  readonly onMessage: (message: Exclude<Message, { readonly kind: 'ready' | 'done' }>) => void
  /** Told how each piece of work ended. */
  readonly onEnd: (result: WorkEnd) => void
}

type WorkEnd = 'done' | 'failed' | 'over_budget' | 'cancelled'

export interface Threads {
  /**
   * Runs a task when a thread is free; users take turns. Rejects with the task's error, DbError `InvalidArguments` beyond its budget, or the
   * signal's reason. `moved` are buffers to transfer.
   */
  run(work: Omit<Task, 'id'>, options: RunOptions): Promise<Outcome>
  readonly waiting: number
  close(): Promise<void>
}

export interface RunOptions {
  readonly user: string
  readonly signal: AbortSignal
  readonly moved?: readonly ArrayBuffer[]
  /** Waits for memory for the task's result. The thread does nothing else meanwhile, so results do not pile up. The run fails with its error. */
  readonly take?: (value: unknown) => Promise<void> | undefined
}

interface Job extends RunOptions {
  readonly task: Task
  readonly settle: (end: WorkEnd, finish: () => void) => void
  readonly resolve: (outcome: Outcome) => void
  readonly reject: (error: unknown) => void
}

interface Thread {
  readonly worker: Worker
  /** Milliseconds of processor time that the thread had used before its present job. */
  worked: number
  /** False while it starts, and while what it has made is taken. */
  isReady: boolean
  job: Job | undefined
  timer: Timer | undefined
}

const MiB = 2 ** 20

/** Milliseconds that a thread may continue after its request was aborted, before it is terminated. */
const grace = 250
/** Minimum milliseconds between two checks of a thread's processor time. */
const look = 20

export function createThreads(options: ThreadsOptions): Threads {
  const threads = new Set<Thread>()
  /** Waiting jobs by user; the user at the front is next. */
  const queue = new Map<string, Job[]>()
  let waiting = 0
  let lastId = 0
  let isClosed = false

  const end = (thread: Thread) => {
    threads.delete(thread)
    thread.timer?.stop()
    void thread.worker.terminate()
  }
  /** Terminates the thread and fails its job; other threads run the waiting jobs. */
  const give = (thread: Thread, result: WorkEnd, error: unknown) => {
    const { job } = thread
    end(thread)
    job?.settle(result, () => job.reject(error))
    pump()
  }
  const watch = (thread: Thread, job: Job) => {
    const { max, key } = options.budget()
    const check = async () => {
      if (thread.job !== job) return
      const used = await usedTime(thread)
      if (thread.job !== job) return
      if (used >= max) give(thread, 'over_budget', tooMuch(max, key))
      else thread.timer = after(Math.max(look, max - used), check)
    }
    thread.timer = after(max, check)
  }
  const hand = (thread: Thread, job: Job) => {
    thread.job = job
    thread.worker.postMessage(job.task, [...(job.moved ?? [])])
    watch(thread, job)
  }
  const pump = () => {
    for (const thread of threads) {
      if (!thread.isReady || thread.job !== undefined) continue
      const job = next()
      if (job === undefined) return
      hand(thread, job)
    }
    const idle = [...threads].filter(({ isReady, job }) => !isReady && job === undefined).length
    if (waiting > idle && threads.size < options.size() && !isClosed) start()
  }
  const next = (): Job | undefined => {
    for (const [user, jobs] of queue) {
      const job = jobs.shift()
      // Round robin: a user whose job was taken goes to the end.
      queue.delete(user)
      if (jobs.length > 0) queue.set(user, jobs)
      if (job === undefined) continue
      waiting--
      return job
    }
    return undefined
  }
  const finish = async (thread: Thread, job: Job, outcome: Outcome) => {
    const isDone = 'value' in outcome
    let end = () => job.resolve(outcome)
    try {
      if (isDone) await job.take?.(outcome.value)
    } catch (error) {
      end = () => job.reject(error)
    }
    job.settle(isDone ? 'done' : 'failed', end)
    if (!threads.has(thread)) return
    thread.isReady = true
    pump()
  }
  const start = () => {
    const { port1, port2 } = new MessageChannel()
    const answered = new Int32Array(new SharedArrayBuffer(4))
    const data: ThreadOptions = { ...options.start(), answered, questions: port2 }
    const worker = startWorker(import.meta.url, 'pipeline', {
      workerData: data,
      transferList: [port2],
      resourceLimits: { maxOldGenerationSizeMb: Math.ceil(options.memory / MiB) }
    })
    const thread: Thread = { worker, worked: 0, isReady: false, job: undefined, timer: undefined }
    threads.add(thread)
    answerOn(port1, answered, options.answer)
    // Idle threads do not keep the process alive.
    worker.unref()
    worker.on('message', (message: Message) => {
      if (!threads.has(thread)) return
      if (message.kind === 'ready') {
        thread.worked = message.worked
        thread.isReady = true
        pump()
      } else if (message.kind === 'done') {
        const job = thread.job!
        thread.job = undefined
        thread.isReady = false
        thread.worked = message.worked
        thread.timer?.stop()
        void finish(thread, job, message.outcome)
      } else options.onMessage(message)
    })
    worker.on('error', error => {
      if (threads.has(thread)) give(thread, 'failed', failure(error, options.memory))
    })
    worker.once('exit', () => port1.close())
  }

  return {
    run(work, { user, signal, moved = [], take }) {
      const task = { ...work, id: ++lastId }
      return new Promise((resolve, reject) => {
        if (signal.aborted) return reject(signal.reason)
        if (isClosed) return reject(new DbError('Cancelled', 'the server stops'))
        const stop = () => {
          const jobs = queue.get(user)
          const index = jobs?.indexOf(job) ?? -1
          if (index >= 0) {
            jobs!.splice(index, 1)
            waiting--
            job.settle('cancelled', () => reject(signal.reason))
            return
          }
          reject(signal.reason)
          const thread = [...threads].find(each => each.job === job)
          after(grace, () => {
            if (thread?.job === job) give(thread, 'cancelled', signal.reason)
          }).unref()
        }
        const job: Job = {
          task,
          user,
          signal,
          moved,
          ...(take && { take }),
          resolve,
          reject,
          settle(result, finish) {
            signal.removeEventListener('abort', stop)
            options.onEnd(result)
            finish()
          }
        }
        signal.addEventListener('abort', stop, { once: true })
        const jobs = queue.get(user)
        if (jobs === undefined) queue.set(user, [job])
        else jobs.push(job)
        waiting++
        pump()
      })
    },
    get waiting() {
      return waiting
    },
    async close() {
      isClosed = true
      const error = new DbError('Cancelled', 'the server stops')
      const ended = [...threads]
      for (const jobs of queue.values()) for (const job of jobs) job.settle('cancelled', () => job.reject(error))
      queue.clear()
      for (const thread of ended) {
        const { job } = thread
        end(thread)
        job?.settle('cancelled', () => job.reject(error))
      }
      await Promise.all(ended.map(({ worker }) => worker.terminate()))
    }
  }
}

/** Milliseconds of processor time of its job; infinite for a thread that does not answer. */
async function usedTime({ worker, worked }: Thread): Promise<number> {
  const usage = worker.cpuUsage().then(({ user, system }) => (user + system) / 1000 - worked)
  const silence = pause(5_000, { ref: false }).then(() => Number.POSITIVE_INFINITY)
  return Promise.race([usage, silence]).catch(() => 0)
}

function answerOn(port: MessagePort, answered: Int32Array, answer: (question: Question) => unknown): void {
  port.on('message', (question: Question) => {
    port.postMessage(replyTo(question, answer))
    Atomics.store(answered, 0, 1)
    Atomics.notify(answered, 0)
  })
  port.unref()
}

function replyTo(question: Question, answer: (question: Question) => unknown): Reply {
  try {
    return { value: answer(question) }
  } catch (error) {
    if (!isDbError(error)) throw error
    return { error: toPlainError(error) }
  }
}

function tooMuch(max: number, key: string): DbError {
  return new DbError('InvalidArguments', `the pipeline takes more than ${max} ms of processor time (${key})`)
}

function failure(error: unknown, memory: number): DbError {
  const { code } = error as { readonly code?: string }
  if (code === 'ERR_WORKER_OUT_OF_MEMORY') {
    const key = `[plugins.pipelines] thread_memory = "${formatSize(memory)}"`
    return new DbError('InvalidArguments', `the pipeline takes too much memory for one request (${key})`, {
      status: 413
    })
  }
  return new DbError('Internal', 'a thread that runs pipelines failed', { cause: error })
}
