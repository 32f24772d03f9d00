// The program of a query process: DuckDB for the statements the server sends, nothing else. It lives as long as the server does.
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { flushCompileCache, getCompileCacheDir } from 'node:module'
import { Socket } from 'node:net'
import { getPriority, setPriority } from 'node:os'
import { watchHeap } from '../../../workers/heap.ts'
import { removeFolder } from '../spool/remove-folder.ts'
import { encodeFrame, FrameKind, FrameReader, type ProcessSettings, type StatementFrame } from '../sql/frames.ts'
import { openConfined } from './confined.ts'
import { macroStatements } from './macros/index.ts'
import { ProcessStatements } from './process-statements.ts'

/** The descriptor of the socket to the server. */
const descriptor = 3
/** Points out of 1000 by which the system rather ends this process than the server when memory is short. */
const outOfMemoryPoints = 500

lowerRank()
watchHeap('thread')
// The server ends this process: a terminal's interrupt goes to both, and the server has answers to give before.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {})

const socket = new Socket({ fd: descriptor, readable: true, writable: true })
// Statements may still run in threads of DuckDB, which an orderly exit would wait for.
const end = () => {
  if (leftovers !== undefined) removeFolder(leftovers)
  process.kill(process.pid, 'SIGKILL')
}
let leftovers: string | undefined
socket.on('close', end)
socket.on('end', end)
socket.on('error', end)
const send = (frame: Buffer) => void socket.write(frame)

let opening: Promise<ProcessStatements> | undefined

const reader = new FrameReader((kind, statement, argument, payload) => {
  const json = () => JSON.parse(payload.toString()) as unknown
  if (kind === FrameKind.settings) opening = open(json() as ProcessSettings)
  else if (kind === FrameKind.ping) send(encodeFrame(FrameKind.ping, 0))
  else
    void opening?.then(statements => {
      if (kind === FrameKind.run) return statements.run(statement, json() as StatementFrame)
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
  await main.run(macroStatements())
  main.closeSync()
  send(encodeFrame(FrameKind.ready, 0))
  // By itself it is written at an orderly exit.
  if (getCompileCacheDir() !== undefined) flushCompileCache()
  return new ProcessStatements(instance, connections, send)
}

/** That of the process as its starter has set it, also for threads that began before. */
function lowerRank(): void {
  try {
    const rank = getPriority()
    for (const thread of readdirSync('/proc/self/task')) setPriority(Number(thread), rank)
    writeFileSync('/proc/self/oom_score_adj', String(outOfMemoryPoints))
  } catch {
    // Not allowed in some containers, or no Linux: the statements run all the same.
  }
}
