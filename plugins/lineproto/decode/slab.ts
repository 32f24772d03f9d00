// One buffer for all columns of a request. If lines go to many tables, a buffer per column would cost more than its content.

export class Slab {
  readonly #bytes: Uint8Array<ArrayBuffer>
  #used = 0

  /** `bytes`: the sum of `slabBytes` for everything that will be put in. */
  constructor(bytes: number) {
    this.#bytes = new Uint8Array(bytes)
  }

  get buffer(): ArrayBuffer {
    return this.#bytes.buffer
  }

  /** Copies bytes in; returns their offset, a multiple of 8. */
  put(bytes: Uint8Array): number {
    const at = this.#used
    this.#bytes.set(bytes, at)
    this.#used = at + slabBytes(bytes.length)
    return at
  }
}

/** The bytes something takes in a slab: rounded up to a multiple of 8. */
export function slabBytes(bytes: number): number {
  return (bytes + 7) & ~7
}
