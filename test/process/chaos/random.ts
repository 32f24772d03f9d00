// Reproducible randomness: every choice of a run follows from its seed.

export class Random {
  #state: number

  constructor(seed: number) {
    this.#state = seed >>> 0
  }

  /** A generator of its own for a part of the run, whatever was drawn here before. */
  static at(...place: readonly number[]): Random {
    const seed = place.reduce((sum, part) => Math.imul(sum ^ part, 0x9e3779b1) + 0x7f4a7c15, 0)
    const random = new Random(seed)
    random.next()
    return random
  }

  /** 0 up to, not including, 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0
    let mixed = this.#state
    mixed = Math.imul(mixed ^ (mixed >>> 16), 0x21f0aaad)
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97)
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32
  }

  /** A whole number from `from` to `to`, both included. */
  between(from: number, to: number): number {
    return from + Math.floor(this.next() * (to - from + 1))
  }

  chance(probability: number): boolean {
    return this.next() < probability
  }

  pick<T>(list: readonly T[]): T {
    return list[this.between(0, list.length - 1)]!
  }
}
