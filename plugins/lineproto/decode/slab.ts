// One piece of memory for all columns of a request: a piece for each would cost more than what is in it where lines go to many tables.

export class Slab {
  readonly #bytes: Uint8Array<ArrayBuffer>
  #used = 0

  /** Of as many bytes as `slabBytes` makes of what will be put in, together. */
  constructor(bytes: number) {
    this.#bytes = new Uint8Array(bytes)
  }

  get buffer(): ArrayBuffer {
    return this.#bytes.buffer
  }

  /** Copies bytes; returns where they are, at a multiple of 8 bytes. */
  put(bytes: Uint8Array): number {
    const at = this.#used
    this.#bytes.set(bytes, at)
    this.#used = at + slabBytes(bytes.length)
    return at
  }
}

/** What something takes of a slab. */
export function slabBytes(bytes: number): number {
  return (bytes + 7) & ~7
}
