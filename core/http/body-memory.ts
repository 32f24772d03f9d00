// Reuses the memory of large request bodies once their routes no longer need it; allocating it anew would be most of a busy server's garbage.

/** Kept sizes are powers of two between these two; other bodies get memory of their own. */
const minSize = 16 << 10
const maxSize = 4 << 20
/** Bytes of idle memory that are kept at most. */
const maxIdleBytes = 16 << 20

export class BodyMemory {
  readonly #idle = new Map<number, Buffer[]>()
  #idleBytes = 0

  /** At least so many bytes, with arbitrary content; undefined for sizes that are not kept. */
  acquire(bytes: number): Buffer | undefined {
    if (bytes < minSize || bytes > maxSize) return undefined
    const size = 2 ** Math.ceil(Math.log2(bytes))
    const found = this.#idle.get(size)?.pop()
    if (found === undefined) return Buffer.allocUnsafeSlow(size)
    this.#idleBytes -= size
    return found
  }

  /** Takes memory back. Nobody may read it any more. */
  give(memory: Buffer): void {
    const size = memory.length
    if (this.#idleBytes + size > maxIdleBytes) return
    this.#idleBytes += size
    const list = this.#idle.get(size)
    if (list === undefined) this.#idle.set(size, [memory])
    else list.push(memory)
  }
}
