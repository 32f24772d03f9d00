// The memory of rows: large shared pieces, reused as soon as no reader is left.
import { reportUnused } from '../../../workers/heap.ts'

/** Bytes of a piece; the allocator returns memory to the system from this size on. */
export const pieceBytes = 4 << 20

export class RowMemory {
  #idle: SharedArrayBuffer[] = []
  #lent = 0
  /** Maximum lent since the last `trim`. */
  #max = 0

  /** Bytes not in use. */
  get idleBytes(): number {
    return this.#idle.length * pieceBytes
  }

  /** Memory with arbitrary content. What is not of `pieceBytes` is always new. */
  acquire(bytes: number): SharedArrayBuffer {
    if (bytes !== pieceBytes) return new SharedArrayBuffer(bytes)
    this.#lent++
    this.#max = Math.max(this.#max, this.#lent)
    return this.#idle.pop() ?? new SharedArrayBuffer(pieceBytes)
  }

  /** Takes memory back; nobody may read or write it any more. */
  give(memory: SharedArrayBuffer): void {
    if (memory.byteLength !== pieceBytes) {
      reportUnused(memory.byteLength)
      return
    }
    this.#lent--
    this.#idle.push(memory)
  }

  /** Frees what was not needed since the last call. */
  trim(): void {
    const kept = Math.min(this.#idle.length, Math.max(0, this.#max - this.#lent))
    reportUnused((this.#idle.length - kept) * pieceBytes)
    this.#idle.length = kept
    this.#max = this.#lent
  }
}
