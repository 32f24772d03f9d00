// Escapes in names and tag values.

const backslash = 0x5c

/** The characters a backslash escapes: in a measurement, and in keys and values. Before any other character a backslash is literal. */
export const escapable = { measurement: [0x2c, 0x20, backslash], key: [0x2c, 0x3d, 0x20, backslash] } as const

/** Resolves the escapes. Returns a view of `bytes` if there are none. */
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

/** Decodes a name, whose UTF-8 was checked before. */
export function unescapeText(bytes: Uint8Array, start: number, end: number, what: readonly number[]): string {
  const plain = undoEscapes(bytes, start, end, what)
  return Buffer.from(plain.buffer, plain.byteOffset, plain.byteLength).toString()
}
