// Numbers of series that are known to be in the cluster, eight bytes each.

export class TsidSet {
  #slots = new BigUint64Array(1024)
  #count = 0
  /** Zero marks a free slot. */
  #hasZero = false

  get size(): number {
    return this.#count
  }

  has(tsid: bigint): boolean {
    return tsid === 0n ? this.#hasZero : this.#slots[this.#seek(tsid)] === tsid
  }

  /** False where it was there before. */
  add(tsid: bigint): boolean {
    if (this.has(tsid)) return false
    this.#count++
    if (tsid === 0n) {
      this.#hasZero = true
      return true
    }
    if (this.#count * 2 > this.#slots.length) this.#grow()
    this.#slots[this.#seek(tsid)] = tsid
    return true
  }

  #seek(tsid: bigint): number {
    const mask = this.#slots.length - 1
    // They are hashes already.
    let slot = Number(tsid & 0x7fffffffn) & mask
    while (this.#slots[slot] !== 0n && this.#slots[slot] !== tsid) slot = (slot + 1) & mask
    return slot
  }

  #grow(): void {
    const before = this.#slots
    this.#slots = new BigUint64Array(before.length * 2)
    for (const tsid of before) if (tsid !== 0n) this.#slots[this.#seek(tsid)] = tsid
  }
}
