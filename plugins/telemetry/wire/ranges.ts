// Ranges of a request's bytes: where messages and texts begin and end.

export class Ranges {
  /** The owner of each: a span, a scope, a resource. */
  owners: Uint32Array<ArrayBuffer>
  starts: Uint32Array<ArrayBuffer>
  ends: Uint32Array<ArrayBuffer>
  count = 0

  constructor(capacity = 16) {
    this.owners = new Uint32Array(capacity)
    this.starts = new Uint32Array(capacity)
    this.ends = new Uint32Array(capacity)
  }

  add(owner: number, start: number, end: number): void {
    const i = this.count++
    if (i === this.starts.length) this.#grow()
    this.owners[i] = owner
    this.starts[i] = start
    this.ends[i] = end
  }

  /** All ranges except those whose indices are left out. */
  without(left: { has(i: number): boolean }): Ranges {
    const kept = new Ranges()
    for (let i = 0; i < this.count; i++) {
      if (!left.has(i)) kept.add(this.owners[i]!, this.starts[i]!, this.ends[i]!)
    }
    return kept
  }

  #grow(): void {
    this.owners = doubled(this.owners)
    this.starts = doubled(this.starts)
    this.ends = doubled(this.ends)
  }
}

function doubled(array: Uint32Array<ArrayBuffer>): Uint32Array<ArrayBuffer> {
  const grown = new Uint32Array(array.length * 2)
  grown.set(array)
  return grown
}
