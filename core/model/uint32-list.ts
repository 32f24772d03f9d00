// 32-bit numbers in typed arrays: an append-only list, and those from one to another.

export class Uint32List {
  #numbers: Uint32Array<ArrayBuffer>
  #length = 0

  /** `capacity`: numbers there is room for at first. */
  constructor(capacity = 8) {
    this.#numbers = new Uint32Array(capacity)
  }

  get length(): number {
    return this.#length
  }

  at(index: number): number {
    return this.#numbers[index]!
  }

  push(value: number): void {
    if (this.#length === this.#numbers.length) {
      const grown = new Uint32Array(this.#length * 2)
      grown.set(this.#numbers)
      this.#numbers = grown
    }
    this.#numbers[this.#length++] = value
  }

  /** The numbers, as a view: later pushes leave it as it is. */
  view(): Uint32Array<ArrayBuffer> {
    return this.#numbers.subarray(0, this.#length)
  }
}

/** The numbers in `[from, to)`. */
export function ascending(from: number, to: number): Uint32Array<ArrayBuffer> {
  const numbers = new Uint32Array(to - from)
  for (let i = 0; i < numbers.length; i++) numbers[i] = from + i
  return numbers
}
