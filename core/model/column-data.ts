// Columns made of JavaScript values, for plugins whose protocols are text.
import { type BytesData, bitmap, clearBit } from './batch.ts'

/** A text column with a row for each value; undefined becomes null. Lone surrogates become U+FFFD. */
export function textColumnOf(values: readonly (string | undefined)[]): BytesData {
  const offsets = new Uint32Array(values.length + 1)
  const valid = bitmap(values.length, true)
  let missing = false
  let text = ''
  const pieces: Buffer[] = []
  let length = 0
  const flush = () => {
    pieces.push(Buffer.from(text))
    text = ''
  }
  for (let i = 0; i < values.length; i++) {
    const value = values[i]
    if (value === undefined) {
      missing = true
      clearBit(valid, i)
    } else {
      const whole = value.toWellFormed()
      text += whole
      length += Buffer.byteLength(whole)
      if (text.length > longPiece) flush()
    }
    offsets[i + 1] = length
  }
  flush()
  const data = { kind: 'bytes', offsets, bytes: Buffer.concat(pieces) } as const
  return missing ? { ...data, valid } : data
}

/** Characters encoded at a time. */
const longPiece = 2 ** 20
