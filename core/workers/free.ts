// Memory of arrays that nobody uses any more. Left to the collector of garbage, a thread keeps up to 64 MiB of it, since it counts objects and
// an array is a small one; and what lived through two collections stays until everything is looked through.
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/**
 * Lets all memory go at once that an array is part of: nobody may look at it again. Arrays of a few kilobytes are left to the collector, since
 * they may lie in memory with others; shared memory stays.
 */
export function free({ buffer }: ArrayBufferView): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength > Buffer.poolSize) buffer.transfer(0)
}

type Collect = (options: { readonly type: 'minor' | 'major'; readonly execution: 'sync' }) => void

let collector: Collect | undefined

/** Looks for objects that nobody uses: `minor`, among those made lately, a millisecond where a thread has few; `major`, among all. */
export function collect(type: 'minor' | 'major'): void {
  collector ??= ownCollector()
  collector({ type, execution: 'sync' })
}

/** It is given to contexts that begin while the flag is set. */
function ownCollector(): Collect {
  if (globalThis.gc !== undefined) return globalThis.gc as unknown as Collect
  setFlagsFromString('--expose-gc')
  const found = runInNewContext('gc') as Collect
  setFlagsFromString('--no-expose-gc')
  return found
}
