// A set of 64-bit hashes in a typed array: the distinct values of one row group.

const initialSlots = 1 << 12

export class HashSet {
  size = 0
  /** Low and high half of the entry of each slot, side by side; both zero: the slot is free. */
  #halves = new Uint32Array(2 * initialSlots)
  #mask = initialSlots - 1
  #hasZero = false

  add(low: number, high: number): void {
    // It would look like a free slot.
    if (low === 0 && high === 0) {
      if (!this.#hasZero) this.size++
      this.#hasZero = true
      return
    }
    const halves = this.#halves
    let at = (low ^ (high << 7)) & this.#mask
    for (;;) {
      const knownLow = halves[2 * at]!
      const knownHigh = halves[2 * at + 1]!
      if (knownLow === 0 && knownHigh === 0) break
      if (knownLow === low >>> 0 && knownHigh === high >>> 0) return
      at = (at + 1) & this.#mask
    }
    halves[2 * at] = low
    halves[2 * at + 1] = high
    this.size++
    if (this.size * 2 > this.#mask) this.#grow()
  }

  each(visit: (low: number, high: number) => void): void {
    if (this.#hasZero) visit(0, 0)
    eachHalves(this.#halves, visit)
  }

  clear(): void {
    this.#halves.fill(0)
    this.#hasZero = false
    this.size = 0
  }

  #grow(): void {
    const halves = this.#halves
    this.#halves = new Uint32Array(halves.length * 2)
    this.#mask = halves.length - 1
    this.size = this.#hasZero ? 1 : 0
    eachHalves(halves, (low, high) => this.add(low, high))
  }
}

function eachHalves(halves: Uint32Array, visit: (low: number, high: number) => void): void {
  for (let at = 0; at < halves.length; at += 2) {
    if (halves[at] !== 0 || halves[at + 1] !== 0) visit(halves[at]!, halves[at + 1]!)
  }
}
