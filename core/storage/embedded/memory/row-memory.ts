// The memory rows lie in: large pieces that threads share, used again as soon as nobody reads what was in them.

/** Bytes of a piece; the allocator gives back to the system what is at least this large. */
export const pieceBytes = 4 << 20

export class RowMemory {
  #idle: SharedArrayBuffer[] = []
  #lent = 0
  /** Most that were lent since the last `trim`. */
  #max = 0

  /** Bytes that nobody uses at the moment. */
  get idleBytes(): number {
    return this.#idle.length * pieceBytes
  }

  /** Memory with anything in it. Smaller pieces than `pieceBytes` are made anew each time. */
  take(bytes: number): SharedArrayBuffer {
    if (bytes < pieceBytes) return new SharedArrayBuffer(bytes)
    this.#lent++
    this.#max = Math.max(this.#max, this.#lent)
    return this.#idle.pop() ?? new SharedArrayBuffer(pieceBytes)
  }

  /** Takes memory back that nobody will read or write any more. */
  give(memory: SharedArrayBuffer): void {
    if (memory.byteLength !== pieceBytes) return
    this.#lent--
    this.#idle.push(memory)
  }

  /** Lets go what was not needed since the last call. */
  trim(): void {
    this.#idle.length = Math.min(this.#idle.length, Math.max(0, this.#max - this.#lent))
    this.#max = this.#lent
  }
}
