// Memory of arrays that nobody uses any more. Left to the collector of garbage, a thread keeps up to 64 MiB of it, since it counts objects and
// an array is a small one; and what lived through two collections stays until everything is looked through.
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** Bytes from which on memory is let go: less is not worth the call. */
const minSize = 8 << 10

/**
 * Lets all memory go at once that an array is part of: nobody may look at it again. What is small is left to the collector, and so is an array
 * that may lie in the memory which small Buffers share; shared memory stays.
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
 * Looks for objects that nobody uses: `minor`, among those made lately, a millisecond where a thread has few; `major`, among all; `all`, more
 * than once, and gives back the pages V8 keeps for later, which are as many as the heap has shrunk by.
 */
export function collect(type: 'minor' | 'major' | 'all'): void {
  collector ??= ownCollector()
  if (type === 'all') collector({ type: 'major', execution: 'sync', flavor: 'last-resort' })
  else collector({ type, execution: 'sync' })
}

/** It is given to contexts that begin while the flag is set. */
function ownCollector(): Collect {
  if (globalThis.gc !== undefined) return globalThis.gc as unknown as Collect
  setFlagsFromString('--expose-gc')
  const found = runInNewContext('gc') as Collect
  setFlagsFromString('--no-expose-gc')
  return found
}
