// Memory for large bodies, used again once their routes have no more use for it: made anew it would be most of what a busy server throws away.

/** Sizes are powers of two from the first to the last; other bodies get memory of their own. */
const minSize = 16 << 10
const maxSize = 4 << 20
/** Bytes that wait for the next request, at most. */
const maxIdleBytes = 16 << 20

export class BodyMemory {
  readonly #idle = new Map<number, Buffer[]>()
  #idleBytes = 0

  /** At least so many bytes, with anything in them; undefined for sizes that are not kept. */
  take(bytes: number): Buffer | undefined {
    if (bytes < minSize || bytes > maxSize) return undefined
    const size = 2 ** Math.ceil(Math.log2(bytes))
    const found = this.#idle.get(size)?.pop()
    if (found === undefined) return Buffer.allocUnsafeSlow(size)
    this.#idleBytes -= size
    return found
  }

  /** Takes memory back that nobody will read any more. */
  give(memory: Buffer): void {
    const size = memory.length
    if (this.#idleBytes + size > maxIdleBytes) return
    this.#idleBytes += size
    const list = this.#idle.get(size)
    if (list === undefined) this.#idle.set(size, [memory])
    else list.push(memory)
  }
}
