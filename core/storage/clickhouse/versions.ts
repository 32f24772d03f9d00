// Numbers that order the versions of rows: the later write has the higher one, whichever process it comes from.
import { randomInt } from 'node:crypto'

/** Bits below the milliseconds: processes that write in the same one begin anywhere in its first half. */
const lowBits = 22n

/** Gives each row its version: milliseconds since 1970, then a number. Clocks of processes should agree, as with NTP. */
export class Versions {
  #last = 0n

  /** The first of so many versions in a row. */
  take(rows: number): bigint {
    const now = (BigInt(Date.now()) << lowBits) | BigInt(randomInt(2 ** 21))
    const first = now > this.#last ? now : this.#last + 1n
    this.#last = first + BigInt(rows)
    return first
  }
}
