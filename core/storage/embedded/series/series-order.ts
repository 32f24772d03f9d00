// Which series came after which: senders repeat theirs in the same order, so the next one can be guessed instead of looked up.

export class SeriesOrder {
  /** By series: one above the number of the one that followed it last; 0 where none did. */
  #followers = new Uint32Array(4)
  #last = 0

  /** The series that probably comes next, undefined where nothing is known. */
  get next(): number | undefined {
    const follower = this.#followers[this.#last]
    return follower === undefined || follower === 0 ? undefined : follower - 1
  }

  /** Takes note of the series that did come. */
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
