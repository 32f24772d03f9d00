// A set of 64-bit hashes in typed arrays: what one row group holds, each entry once.

export class HashSet {
  size = 0
  /** Halves of the entries by place; both zero means free. */
  #lows = new Uint32Array(1 << 12)
  #highs = new Uint32Array(1 << 12)
  #mask = (1 << 12) - 1
  #hasZero = false

  add(low: number, high: number): void {
    // It would look like a free place.
    if (low === 0 && high === 0) {
      if (!this.#hasZero) this.size++
      this.#hasZero = true
      return
    }
    const lows = this.#lows
    const highs = this.#highs
    const mask = this.#mask
    let at = (low ^ (high << 7)) & mask
    for (;;) {
      const known = lows[at]!
      const above = highs[at]!
      if (known === 0 && above === 0) break
      if (known === low >>> 0 && above === high >>> 0) return
      at = (at + 1) & mask
    }
    lows[at] = low
    highs[at] = high
    this.size++
    if (this.size * 2 > mask) this.#grow()
  }

  each(visit: (low: number, high: number) => void): void {
    if (this.#hasZero) visit(0, 0)
    const lows = this.#lows
    const highs = this.#highs
    for (let at = 0; at < lows.length; at++) {
      if (lows[at] !== 0 || highs[at] !== 0) visit(lows[at]!, highs[at]!)
    }
  }

  clear(): void {
    this.#lows.fill(0)
    this.#highs.fill(0)
    this.#hasZero = false
    this.size = 0
  }

  #grow(): void {
    const [lows, highs] = [this.#lows, this.#highs]
    this.#lows = new Uint32Array(lows.length * 2)
    this.#highs = new Uint32Array(lows.length * 2)
    this.#mask = lows.length * 2 - 1
    this.size = this.#hasZero ? 1 : 0
    for (let at = 0; at < lows.length; at++) {
      if (lows[at] !== 0 || highs[at] !== 0) this.add(lows[at]!, highs[at]!)
    }
  }
}
