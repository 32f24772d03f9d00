// Remembers which series followed which: senders repeat their order, so the next series can be predicted.

export class SeriesOrder {
  /** By series: the number of the series that followed it last, plus one; 0 if none did. */
  #followers = new Uint32Array(4)
  #last = 0

  /** The predicted next series; undefined if unknown. */
  get next(): number | undefined {
    const follower = this.#followers[this.#last]
    return follower === undefined || follower === 0 ? undefined : follower - 1
  }

  /** Notes the series that came. */
  add(series: number): void {
    if (this.#last >= this.#followers.length) this.#grow()
    this.#followers[this.#last] = series + 1
    this.#last = series
  }

  #grow(): void {
    const grown = new Uint32Array(Math.max(this.#last + 1, this.#followers.length * 2))
    grown.set(this.#followers)
    this.#followers = grown
  }
}
