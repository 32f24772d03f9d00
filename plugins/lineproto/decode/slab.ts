// One buffer for all columns of a request. If lines go to many tables, a buffer per column would cost more than its content.
import type { Steps } from '../../../core/index.ts'

/** Longer parts are copied by `fill`, in pieces of the second size. */
const [maxPut, pieceBytes] = [1 << 14, 1 << 19]

export class Slab {
  readonly #bytes: Uint8Array<ArrayBuffer>
  readonly #rest: { readonly bytes: Uint8Array; readonly at: number }[] = []
  #used = 0

  /** `bytes`: the sum of `slabBytes` for everything that will be put in. */
  constructor(bytes: number) {
    this.#bytes = new Uint8Array(bytes)
  }

  get buffer(): ArrayBuffer {
    return this.#bytes.buffer
  }

  /** Copies bytes in, the long ones when `fill` runs; returns their offset, a multiple of 8. */
  put(bytes: Uint8Array): number {
    const at = this.#used
    if (bytes.length > maxPut) this.#rest.push({ bytes, at })
    else this.#bytes.set(bytes, at)
    this.#used = at + slabBytes(bytes.length)
    return at
  }

  /** Copies the long parts. */
  *fill(): Steps<void> {
    for (const { bytes, at } of this.#rest)
      for (let from = 0; from < bytes.length; from += pieceBytes) {
        this.#bytes.set(bytes.subarray(from, from + pieceBytes), at + from)
        yield
      }
  }
}

/** The bytes something takes in a slab: rounded up to a multiple of 8. */
export function slabBytes(bytes: number): number {
  return (bytes + 7) & ~7
}
