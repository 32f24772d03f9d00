/** Copies `length` bytes of `from`, beginning at `at`, to `to` at `put`. Short ranges are copied by a loop, which is faster than a call of `set`. */
export function copyBytes(from: Uint8Array, at: number, to: Uint8Array, put: number, length: number): void {
  if (length > 48) to.set(from.subarray(at, at + length), put)
  else for (let i = 0; i < length; i++) to[put + i] = from[at + i]!
}
