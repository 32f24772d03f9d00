// The memory of rows: large shared pieces, reused as soon as no reader is left.
import { reportUnused } from '../../../workers/heap.ts'

/** Bytes of a piece; the allocator returns memory to the system from this size on. */
export const pieceBytes = 4 << 20

/** Calls of `trim` for which pieces are counted. */
const intervals = 3

export class RowMemory {
  #idle: SharedArrayBuffer[] = []
  /** Pieces acquired since the last `trim`, and between those before. */
  #acquired: number[] = [0]

  /** Bytes not in use. */
  get idleBytes(): number {
    return this.#idle.length * pieceBytes
  }

  /** Memory with arbitrary content. What is not of `pieceBytes` is always new. */
  acquire(bytes: number): SharedArrayBuffer {
    if (bytes !== pieceBytes) return new SharedArrayBuffer(bytes)
    this.#acquired[0]!++
    return this.#idle.pop() ?? new SharedArrayBuffer(pieceBytes)
  }

  /** Takes memory back; nobody may read or write it any more. */
  give(memory: SharedArrayBuffer): void {
    if (memory.byteLength !== pieceBytes) {
      reportUnused(memory.byteLength)
      return
    }
    this.#idle.push(memory)
  }

  /** To be called regularly: keeps no more idle pieces than were acquired during the last intervals. */
  trim(): void {
    const needed = this.#acquired.reduce((sum, count) => sum + count, 0)
    const kept = Math.min(this.#idle.length, needed)
    reportUnused((this.#idle.length - kept) * pieceBytes)
    this.#idle.length = kept
    this.#acquired = [0, ...this.#acquired.slice(0, intervals - 1)]
  }
}
