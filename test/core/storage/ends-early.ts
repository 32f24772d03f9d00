// Closes a thread right after its last answer and prints when that is done.
import { Worker } from 'node:worker_threads'
import { ReadThreads } from '../../../core/storage/embedded/read/read-threads.ts'
import { UpkeepThread } from '../../../core/storage/embedded/upkeep/upkeep-thread.ts'

const idle = new Int32Array(new SharedArrayBuffer(4))
/** Answers have come by then, and are read after `close` has begun. */
const standStill = () => Atomics.wait(idle, 0, 0, 500)

const answering = `
  const { parentPort } = require('node:worker_threads')
  parentPort.on('message', ({ id }) => parentPort.postMessage({ id }))
  process.on('exit', () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300))`

const upkeep = new UpkeepThread({ died: () => {}, start: () => new Worker(answering, { eval: true }) })
await upkeep.merge({} as never)
const lost = upkeep.merge({} as never).catch(() => {})
standStill()
await upkeep.close()
await lost
process.stdout.write('upkeep ')

const reader = new ReadThreads({ folder: '/', threads: 1, cacheBytes: 2 ** 20, looked: () => {}, failed: () => {} })
await reader.checksum(process.argv[1]!)
const read = reader.checksum(process.argv[1]!).catch(() => {})
standStill()
await reader.close()
await read
process.stdout.write('reader')
