// A queue of new rows for a live tail: filled when rows become readable, emptied by the reader.

import { after } from '../../../timer.ts'
import type { MemtableRows } from './memtable.ts'

export class Follower {
  /** Rows left out because too many waited. */
  lost = 0
  readonly #limit: number
  readonly #deletes: boolean
  #waiting: MemtableRows[] = []
  #bytes = 0
  #wake: (() => void) | undefined

  /** `limit` in bytes; a single write is always accepted. With `deletes`, deleted rows are included. */
  constructor(limit: number, deletes: boolean) {
    this.#limit = limit
    this.#deletes = deletes
  }

  /** The table is empty: the waiting rows are dropped. */
  clear(): void {
    this.#waiting = []
    this.#bytes = 0
    if (this.#deletes) this.lost++
  }

  offer(rows: MemtableRows, bytes: number): void {
    if (this.#bytes > 0 && this.#bytes + bytes > this.#limit) this.lost += rows.rows
    else {
      this.#bytes += bytes
      this.#waiting.push(rows)
    }
  }

  /** The rows since the last call. */
  take(): readonly MemtableRows[] {
    const taken = this.#waiting
    this.#waiting = []
    this.#bytes = 0
    return taken
  }

  /** Resolves after so many milliseconds, or when the follower ends. */
  rest(milliseconds: number): Promise<void> {
    return new Promise(resolve => {
      const timer = after(milliseconds, resolve)
      this.#wake = () => {
        timer.stop()
        resolve()
      }
    })
  }

  end(): void {
    this.#waiting = []
    this.#wake?.()
  }
}
