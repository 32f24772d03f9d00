// Frees the memory of unused arrays at once. V8 would keep up to 64 MiB per thread, because it counts small array objects, not their buffers;
// and what survives two minor collections stays until a major one.
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { getEnvironmentData, setEnvironmentData } from 'node:worker_threads'

/** Smaller memory is left to the garbage collector. */
const minSize = 8 << 10

/**
 * Frees the memory of an array at once; nobody may use the array afterwards. Left to the garbage collector: small arrays, arrays in Node's
 * shared Buffer pool, and shared memory.
 */
export function free(array: ArrayBufferView): void {
  const { buffer } = array
  if (!(buffer instanceof ArrayBuffer) || buffer.byteLength < minSize) return
  const mayBeShared = buffer.byteLength === Buffer.poolSize && array.byteLength < buffer.byteLength
  if (!mayBeShared) buffer.transfer(0)
}

interface Collection {
  readonly type: 'minor' | 'major'
  readonly execution: 'sync'
  readonly flavor?: 'last-resort'
}

type Collect = (options: Collection) => void

let collector: Collect | undefined

/**
 * Runs the garbage collector: `minor` for young objects (about a millisecond in a small thread), `major` for all, `all` several times, which
 * also returns pages that V8 keeps for later.
 */
export function collect(type: 'minor' | 'major' | 'all'): void {
  collector ??= ownCollector()
  if (type === 'all') collector({ type: 'major', execution: 'sync', flavor: 'last-resort' })
  else collector({ type, execution: 'sync' })
}

/** Of the process and all of its threads: whether V8 counts arrays with the heap. */
const counts = 'arrays count with the heap'

/**
 * Makes V8 count the memory of arrays with the heap, in all threads of the process: it collects when both together have grown by their share.
 * Without that it begins a collection for each 64 MiB of arrays, which costs a server that writes much more than it brings. Call it before
 * threads start, so that they know of it.
 */
export function countArraysWithHeap(): void {
  setEnvironmentData(counts, true)
  setCounting(true)
}

function setCounting(isOn: boolean): void {
  setFlagsFromString(`--${isOn ? '' : 'no-'}external-memory-accounted-in-global-limit`)
}

/** More than what V8 lets the memory of arrays grow by where it does not count them with the heap: 64 MiB. */
const pressure = 80 << 20

/**
 * Makes V8 begin a collection of all objects beside the work, with pauses of some milliseconds; the next call may have to complete it. V8 does
 * that when arrays take much more memory, so memory is reserved for a moment; no page of it is used.
 */
export function beginCollection(): void {
  const isCounting = getEnvironmentData(counts) === true
  if (isCounting) setCounting(false)
  try {
    new ArrayBuffer(pressure).transfer(0)
  } catch {
    // There is no address space left for it.
  }
  if (isCounting) setCounting(true)
}

/**
 * V8 exposes the function to contexts created while the flag is set. The flag is one for all threads of the process, so nobody may clear it: another
 * thread may be about to create its context.
 */
function ownCollector(): Collect {
  if (globalThis.gc !== undefined) return globalThis.gc as unknown as Collect
  setFlagsFromString('--expose-gc')
  return runInNewContext('gc') as Collect
}
