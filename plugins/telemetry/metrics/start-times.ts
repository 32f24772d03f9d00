// Start times of series. A point repeats its start; it changes when the sending process restarts.

/** Words of an entry: two of the attributes' hash, the metric, two of the time; a metric of 0 is free. */
const words = 5
const firstSlots = 1 << 12
/** Entries of the hash table. It is emptied when half of them are used; starts are then written again. */
const maxSlots = 1 << 21

/** Uses 64 bits of the hash. If two series of a metric collide, their starts are written with each point. */
export interface HashHalf {
  readonly a: number
  readonly b: number
}

export class StartTimes {
  #entries = new Int32Array(firstSlots * words)
  #mask = firstSlots - 1
  #count = 0

  /** Whether the start of a series has changed; remembers the new one. */
  isNew({ a, b }: HashHalf, metric: number, low: number, high: number): boolean {
    const entries = this.#entries
    const at = this.#seek(a, b, metric)
    if (entries[at + 2] !== 0 && entries[at + 3] === low && entries[at + 4] === high) return false
    if (entries[at + 2] === 0) {
      this.#count++
      entries[at] = a
      entries[at + 1] = b
      entries[at + 2] = metric
    }
    entries[at + 3] = low
    entries[at + 4] = high
    if (this.#count * 2 > this.#mask) this.#grow()
    return true
  }

  /** Forgets the start of a series, because it was not stored. */
  drop({ a, b }: HashHalf, metric: number): void {
    const at = this.#seek(a, b, metric)
    if (this.#entries[at + 2] !== 0) this.#entries.fill(-1, at + 3, at + words)
  }

  /** The index of a series' entry, or of the free entry for it. */
  #seek(a: number, b: number, metric: number): number {
    const entries = this.#entries
    const mask = this.#mask
    const mixed = Math.imul(a ^ Math.imul(metric, 0x9e3779b1), 0x85ebca77)
    for (let slot = (mixed ^ (mixed >>> 15)) & mask; ; slot = (slot + 1) & mask) {
      const at = slot * words
      if (entries[at + 2] === 0) return at
      if (entries[at] === a && entries[at + 1] === b && entries[at + 2] === metric) return at
    }
  }

  #grow(): void {
    const old = this.#entries
    if (old.length >= maxSlots * words) {
      this.#entries = new Int32Array(firstSlots * words)
      this.#mask = firstSlots - 1
      this.#count = 0
      return
    }
    this.#entries = new Int32Array(old.length * 2)
    this.#mask = this.#mask * 2 + 1
    for (let from = 0; from < old.length; from += words) {
      if (old[from + 2] === 0) continue
      const at = this.#seek(old[from]!, old[from + 1]!, old[from + 2]!)
      this.#entries.set(old.subarray(from, from + words), at)
    }
  }
}
