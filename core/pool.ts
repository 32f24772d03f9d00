// Reuses objects that are expensive to make, such as large buffers.

/** A pool of reusable objects. */
export class Pool<T> {
  readonly #idle: T[] = []
  readonly #make: () => T
  readonly #maxIdle: number
  readonly #isKept: (item: T) => boolean

  /** Keeps up to `maxIdle` idle items; `isKept` says false for items that have grown too large to keep. */
  constructor(make: () => T, maxIdle: number, isKept: (item: T) => boolean) {
    this.#make = make
    this.#maxIdle = maxIdle
    this.#isKept = isKept
  }

  /** Runs `work` with an item that nobody else uses during that time. `work` must not keep it. Rejects as `work` does. */
  async use<R>(work: (item: T) => Promise<R>): Promise<R> {
    const item = this.#idle.pop() ?? this.#make()
    try {
      return await work(item)
    } finally {
      if (this.#idle.length < this.#maxIdle && this.#isKept(item)) this.#idle.push(item)
    }
  }
}
