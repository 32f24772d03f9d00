// A fair queue: of all waiting requests, the next is one of the user who was served longest ago.

export class FairQueue<T> {
  /** Users with waiting requests, in the order in which they will be served. */
  readonly #users = new Map<string, Set<T>>()
  #size = 0

  get size(): number {
    return this.#size
  }

  add(user: string, item: T): void {
    const items = this.#users.get(user)
    if (items === undefined) this.#users.set(user, new Set([item]))
    else items.add(item)
    this.#size++
  }

  /** False if it no longer waits. */
  remove(user: string, item: T): boolean {
    const items = this.#users.get(user)
    if (items?.delete(item) !== true) return false
    if (items.size === 0) this.#users.delete(user)
    this.#size--
    return true
  }

  /** The next item, without removing it. */
  first(): T | undefined {
    return this.find(() => true)
  }

  find(isFound: (item: T) => boolean): T | undefined {
    for (const items of this.#users.values()) for (const item of items) if (isFound(item)) return item
    return undefined
  }

  next(): T | undefined {
    for (const [user, items] of this.#users) {
      const [item] = items
      this.remove(user, item!)
      // Moves the user behind all others.
      if (this.#users.delete(user)) this.#users.set(user, items)
      return item
    }
    return undefined
  }
}
