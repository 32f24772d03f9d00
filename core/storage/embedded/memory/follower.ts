// Rows on their way to somebody who follows a table: kept from the moment they are readable until they are looked at.

import { after } from '../../../timer.ts'
import type { MemtableRows } from './memtable.ts'

export class Follower {
  /** Rows that were left out because too many waited. */
  lost = 0
  readonly #limit: number
  readonly #deletes: boolean
  #waiting: MemtableRows[] = []
  #bytes = 0
  #wake: (() => void) | undefined

  /** `limit` in bytes; one write always finds room. With `deletes` it looks at rows that are deleted, too. */
  constructor(limit: number, deletes: boolean) {
    this.#limit = limit
    this.#deletes = deletes
  }

  /** The table is empty: too many rows were deleted to wait for. */
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

  /** What came since the last call. */
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
