// Names and tag values as lines write them.

const backslash = 0x5c

/** What a backslash can stand before in a measurement, and in the keys and values behind it; before anything else it stands for itself. */
export const escapable = { measurement: [0x2c, 0x20, backslash], key: [0x2c, 0x3d, 0x20, backslash] } as const

/** The bytes without their escapes: a part of `bytes` where there are none. */
export function undoEscapes(bytes: Uint8Array, start: number, end: number, what: readonly number[]): Uint8Array {
  const written = bytes.subarray(start, end)
  if (!written.includes(backslash)) return written
  const plain = new Uint8Array(end - start)
  let length = 0
  for (let i = start; i < end; i++) {
    if (bytes[i] === backslash && i + 1 < end && what.includes(bytes[i + 1]!)) i++
    plain[length++] = bytes[i]!
  }
  return plain.subarray(0, length)
}

/** The text of a name; UTF-8 that is known to be valid. */
export function unescapeText(bytes: Uint8Array, start: number, end: number, what: readonly number[]): string {
  const plain = undoEscapes(bytes, start, end, what)
  return Buffer.from(plain.buffer, plain.byteOffset, plain.byteLength).toString()
}
