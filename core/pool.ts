// Memory that requests borrow: what one gives back serves the next.

export class Pool<T> {
  readonly #idle: T[] = []
  readonly #make: () => T
  readonly #maxIdle: number
  readonly #isKept: (item: T) => boolean

  /** Up to `maxIdle` items wait for the next request; `isKept` refuses those that have grown too large for that. */
  constructor(make: () => T, maxIdle: number, isKept: (item: T) => boolean) {
    this.#make = make
    this.#maxIdle = maxIdle
    this.#isKept = isKept
  }

  /** Runs `work` with an item that nobody else uses meanwhile. `work` must not keep it. */
  async use<R>(work: (item: T) => Promise<R>): Promise<R> {
    const item = this.#idle.pop() ?? this.#make()
    try {
      return await work(item)
    } finally {
      if (this.#idle.length < this.#maxIdle && this.#isKept(item)) this.#idle.push(item)
    }
  }
}
