// One piece of memory for all columns of a request: a piece for each would cost more than what is in it where lines go to many tables.
import type { Steps } from '../../../core/index.ts'

/** More bytes are copied by `fill`, in pieces of so many. */
const [maxPut, pieceBytes] = [1 << 14, 1 << 19]

export class Slab {
  readonly #bytes: Uint8Array<ArrayBuffer>
  readonly #rest: { readonly bytes: Uint8Array; readonly at: number }[] = []
  #used = 0

  /** Of as many bytes as `slabBytes` makes of what will be put in, together. */
  constructor(bytes: number) {
    this.#bytes = new Uint8Array(bytes)
  }

  get buffer(): ArrayBuffer {
    return this.#bytes.buffer
  }

  /** Copies bytes, at the latest when `fill` is over; returns where they are, at a multiple of 8 bytes. */
  put(bytes: Uint8Array): number {
    const at = this.#used
    if (bytes.length > maxPut) this.#rest.push({ bytes, at })
    else this.#bytes.set(bytes, at)
    this.#used = at + slabBytes(bytes.length)
    return at
  }

  /** Copies what is left. */
  *fill(): Steps<void> {
    for (const { bytes, at } of this.#rest)
      for (let from = 0; from < bytes.length; from += pieceBytes) {
        this.#bytes.set(bytes.subarray(from, from + pieceBytes), at + from)
        yield
      }
  }
}

/** What something takes of a slab. */
export function slabBytes(bytes: number): number {
  return (bytes + 7) & ~7
}
