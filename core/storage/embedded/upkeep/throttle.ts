// How fast writes may come while flushes fall behind: slower and slower, so that none has to wait until a whole memtable is written.

interface Held {
  /** Memory that rows in no file take. */
  readonly bytes: number
  /** Rows in memory are written to files when they take this much. */
  readonly size: number
  /** They may not take more. */
  readonly limit: number
}

/** Bytes a millisecond, before there was a flush. */
const firstRate = 64 * 1024
/** Flushes of less say nothing of the rate. */
const minRateBytes = 2 ** 20
/** No write is held up longer, in milliseconds. */
const maxWait = 250

export class Throttle {
  #rate = firstRate
  /** The time at which the admitted writes have used up their rate. */
  #used = 0

  /** Tells how long a flush took. */
  flushed(bytes: number, milliseconds: number): void {
    if (bytes >= minRateBytes && milliseconds > 0) this.#rate = (this.#rate + bytes / milliseconds) / 2
  }

  /**
   * Milliseconds a write of so many bytes has to wait; `now` in milliseconds. A memtable that fills while another one is written costs
   * nothing. From there on writes may come at the rate of flushes where half of the rest is taken, faster before and slower after that.
   */
  delay(bytes: number, held: Held, now: number): number {
    const free = Math.min(2 * held.size, (held.size + held.limit) / 2)
    const pressure = (held.bytes - free) / (held.limit - free)
    if (!(pressure > 0)) return 0
    const rate = pressure < 1 ? this.#rate * (1 / pressure - 1) : 0
    const wait = Math.min(maxWait, Math.max(this.#used, now) + bytes / rate - now)
    this.#used = now + wait
    return wait
  }
}
