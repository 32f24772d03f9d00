// Places in a request's bytes, as many as there are: the beginnings and ends of messages and texts.

export class Ranges {
  /** What each belongs to: a span, a scope, a resource. */
  owners = new Uint32Array(64)
  starts = new Uint32Array(64)
  ends = new Uint32Array(64)
  count = 0

  add(owner: number, start: number, end: number): void {
    const i = this.count++
    if (i === this.starts.length) this.#grow()
    this.owners[i] = owner
    this.starts[i] = start
    this.ends[i] = end
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
