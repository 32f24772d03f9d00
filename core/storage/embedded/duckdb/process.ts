// The program of a query process: runs DuckDB statements that the server sends, and nothing else. Ends with the server.
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { flushCompileCache, getCompileCacheDir } from 'node:module'
import { Socket } from 'node:net'
import { getPriority, setPriority } from 'node:os'
import { after, type Timer } from '../../../timer.ts'
import { watchHeap } from '../../../workers/heap.ts'
import { removeFolder } from '../spool/remove-folder.ts'
import {
  encodeFrame,
  FrameKind,
  FrameReader,
  maxBatchBytes,
  type ProcessSettings,
  type StatementFrame
} from '../sql/frames.ts'
import { openConfined } from './confined.ts'
import { ProcessStatements } from './process-statements.ts'

/** File descriptor of the socket to the server. */
const descriptor = 3
/** Raises the process's OOM score (of 1000), so that the system kills it rather than the server when memory is short. */
const outOfMemoryPoints = 500

lowerRank()
watchHeap('thread')
// Only the server ends this process. A terminal's interrupt reaches both, but the server has requests to finish first.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {})

const socket = new Socket({ fd: descriptor, readable: true, writable: true })
// DuckDB threads may still run statements, and an orderly exit would wait for them.
const end = () => {
  if (leftovers !== undefined) removeFolder(leftovers)
  process.kill(process.pid, 'SIGKILL')
}
let leftovers: string | undefined
socket.on('close', end)
socket.on('end', end)
socket.on('error', end)
/** Frames of short statements are written together, because each write wakes the server; others wait for a millisecond at most. */
let flushing: Timer | undefined
const flush = () => {
  flushing?.stop()
  flushing = undefined
  socket.uncork()
}
const send = (frame: Buffer) => {
  if (flushing === undefined) {
    socket.cork()
    flushing = after(1, flush)
  }
  socket.write(frame)
  const kind = frame.readUInt32LE(0)
  if (kind !== FrameKind.columns && kind !== FrameKind.batch) flush()
  else if (socket.writableLength > maxBatchBytes) flush()
}

let opening: Promise<ProcessStatements> | undefined

const reader = new FrameReader((kind, statement, argument, payload) => {
  const json = () => JSON.parse(payload.toString()) as unknown
  if (kind === FrameKind.settings) opening = open(json() as ProcessSettings)
  else if (kind === FrameKind.ping) send(encodeFrame(FrameKind.ping, 0))
  else
    void opening?.then(statements => {
      if (kind === FrameKind.run) {
        const others = JSON.parse(payload.toString('utf8', 0, argument)) as Omit<StatementFrame, 'text'>
        return statements.run(statement, { ...others, text: payload.toString('utf8', argument) })
      }
      if (kind === FrameKind.credit) statements.credit(statement, argument)
      else if (kind === FrameKind.cancel) statements.cancel(statement)
    })
})
socket.on('data', (piece: Buffer) => reader.push(piece))

async function open(settings: ProcessSettings): Promise<ProcessStatements> {
  process.title = `weir ${settings.name} queries`
  const { folders, temporary: spill, memoryLimit, threads, connections } = settings
  leftovers = settings.leftovers
  mkdirSync(spill, { recursive: true })
  const [instance, main] = await openConfined({ folders, spill, memoryLimit, threads })
  main.closeSync()
  send(encodeFrame(FrameKind.ready, 0))
  // Node writes it at an orderly exit only.
  if (getCompileCacheDir() !== undefined) flushCompileCache()
  return new ProcessStatements(instance, connections, send)
}

/** Lowers the priority of the process as its parent has set it, including threads that already run. */
function lowerRank(): void {
  try {
    const rank = getPriority()
    for (const thread of readdirSync('/proc/self/task')) setPriority(Number(thread), rank)
    writeFileSync('/proc/self/oom_score_adj', String(outOfMemoryPoints))
  } catch {
    // Not permitted in some containers, and not available on other systems than Linux; statements run anyway.
  }
}
