// A thread that runs pipelines, one task after the other. The main thread may terminate it at any moment.

import { isMarkedAsUntransferable, parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads'
import { type Column, decodeItems, giveWay, isDbError, type TableWrite } from '../../../core/compute.ts'
import { fromPlainError, toPlainError } from '../../../core/wire/index.ts'
import { missingKinds } from '../document/compile.ts'
import { inferredDdl } from '../document/ddl.ts'
import { refuseUnknownKeys } from '../document/unknown-keys.ts'
import { dryRun } from '../dryrun/dryrun.ts'
import { addKind, createKinds } from '../kinds.ts'
import { createRunner } from '../runner.ts'
import { unpackItems } from './items.ts'
import type { Message, Outcome, Question, Reply, Results, Task, ThreadOptions, Work } from './task.ts'

const { answered, modules, pathValues, questions, textLength } = workerData as ThreadOptions
const send = (message: Message, moved: readonly ArrayBuffer[] = []) => parentPort!.postMessage(message, [...moved])

let task: Task

const kinds = createKinds({ pathValues, textLength, maxValues: () => task.maxValues })
for (const [module, note] of modules.entries()) {
  await addKind(kinds, note, message => send({ kind: 'sent', module, message }))
}

const runner = createRunner({
  kinds,
  limits: () => task.limits,
  columns: () => task.columns,
  find: (name, version) => ask({ kind: 'find', name, version }),
  table: (database, name) => ask({ kind: 'table', database, name })
})

/** Blocks until the main thread has answered: a run cannot continue without the answer. */
function ask<T>(question: Question): T {
  Atomics.store(answered, 0, 0)
  questions.postMessage(question)
  Atomics.wait(answered, 0, 0)
  const reply = receiveMessageOnPort(questions)!.message as Reply
  if ('error' in reply) throw fromPlainError(reply.error)
  return reply.value as T
}

const works: { readonly [K in Work['kind']]: (work: Extract<Work, { readonly kind: K }>) => Results[K] } = {
  run({ name, options, input }) {
    const items =
      'items' in input
        ? unpackItems(input.items)
        : decodeItems(bufferOf(input.body), input.contentType, { ...input.decoding, ...options })
    const undecoded = items.failures.length
    const { rows } = items
    return { result: runner.runNamed(task.ctx, name, items, options), items: rows, undecoded }
  },
  dryrun: ({ request }) => dryRun(runner, task.ctx, { ...request, body: bufferOf(request.body) }),
  check({ yaml, strict }) {
    const { warnings } = runner.compile(yaml)
    if (strict) refuseUnknownKeys(warnings)
    return warnings
  },
  missing: ({ yaml }) => missingKinds(yaml, kinds),
  ddl({ name, version, table }) {
    const pipeline = runner.compiled(runner.find(name, version))
    return {
      sql: inferredDdl(pipeline, table),
      moves: pipeline.dispatcher !== undefined || pipeline.suffix !== undefined
    }
  }
}

function outcomeOf(work: Work): Outcome {
  try {
    return { value: works[work.kind](work as never) }
  } catch (error) {
    if (!isDbError(error)) throw error
    return { error: toPlainError(error) }
  }
}

function bufferOf({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength)
}

giveWay('programs')
parentPort!.on('message', (next: Task) => {
  task = next
  const outcome = outcomeOf(next.work)
  const moved =
    next.work.kind === 'run' && 'value' in outcome ? buffersOf((outcome.value as Results['run']).result.writes) : []
  send({ kind: 'done', id: next.id, worked: workedSoFar(), outcome }, moved)
})
send({ kind: 'ready', worked: workedSoFar() })

/** Milliseconds of processor time of this thread. */
function workedSoFar(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

/** The buffers of columns, without repetition. */
function buffersOf(writes: readonly TableWrite[]): ArrayBuffer[] {
  const buffers = new Set<ArrayBufferLike>()
  for (const { columns } of writes) for (const { data } of columns) addBuffers(data, buffers)
  // Small Buffers share one pooled ArrayBuffer, which cannot be transferred.
  return [...buffers].filter(
    buffer => buffer instanceof ArrayBuffer && !isMarkedAsUntransferable(buffer)
  ) as ArrayBuffer[]
}

function addBuffers(data: Column['data'], buffers: Set<ArrayBufferLike>): void {
  if (data.valid !== undefined) buffers.add(data.valid.buffer)
  if (data.kind === 'fixed') buffers.add(data.values.buffer)
  else if (data.kind === 'bytes') buffers.add(data.offsets.buffer).add(data.bytes.buffer)
  else {
    buffers.add(data.codes.buffer)
    addBuffers(data.dictionary, buffers)
  }
}
