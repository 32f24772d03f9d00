// Frees the memory of unused arrays at once. V8 would keep up to 64 MiB per thread, because it counts small array objects, not their buffers;
// and what survives two minor collections stays until a major one.
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

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

/** More than what V8 lets the memory of arrays grow by before it looks for garbage: 64 MiB. */
const pressure = 80 << 20

/**
 * Makes V8 begin a collection of all objects beside the work, with pauses of some milliseconds. V8 does that when arrays take much more memory,
 * so memory is reserved for a moment; no page of it is used.
 */
export function beginCollection(): void {
  try {
    new ArrayBuffer(pressure).transfer(0)
  } catch {
    // There is no address space left for it.
  }
}

/**
 * V8 exposes the function to contexts created while the flag is set. All threads share the flag: another one that does this, too, may have unset it
 * before the context is there.
 */
function ownCollector(): Collect {
  if (globalThis.gc !== undefined) return globalThis.gc as unknown as Collect
  for (;;) {
    setFlagsFromString('--expose-gc')
    const found = runInNewContext('globalThis.gc') as Collect | undefined
    setFlagsFromString('--no-expose-gc')
    if (found !== undefined) return found
  }
}
