// Parses the value of a field and adds it to the field's column.
import type { DbError } from '../../../core/index.ts'
import type { FieldColumn, FieldType } from './field.ts'
import { NumberReader } from './number.ts'
import { failure } from './position.ts'

const [feed, carriage, space, quote, comma, minus, point, backslash] = [0x0a, 0x0d, 0x20, 0x22, 0x2c, 0x2d, 0x2e, 0x5c]

export class ValueReader {
  body: Buffer = Buffer.alloc(0)
  /** The measurement, for error messages. */
  table = ''
  readonly #number = new NumberReader()
  readonly #maxTextBytes: number

  /** Maximum bytes of a text, escapes included. */
  constructor(maxTextBytes: number) {
    this.#maxTextBytes = maxTextBytes
  }

  /** Returns where the value ends. Throws ParseError. */
  read(field: FieldColumn, row: number, start: number): number {
    const first = this.body[start]!
    const end =
      first === quote
        ? this.#readText(field, row, start)
        : (first >= 0x30 && first <= 0x39) || first === minus || first === point
          ? this.#readNumber(field, row, start)
          : this.#readFlag(field, row, start)
    const next = this.body[end]
    if (next !== comma && next !== space && !isLineEnd(this.body, end)) throw this.#notValue(start)
    return end
  }

  #readNumber(field: FieldColumn, row: number, start: number): number {
    const number = this.#number
    const isNumber = number.read(this.body, start)
    const { type, end, value } = number
    if (!isNumber)
      throw end < 0
        ? this.#notValue(start)
        : failure(this.body, start, `${this.#valueAt(start)} is out of range for ${type}`)
    if (!field.take(row, type)) throw this.#wrongType(field, type, start)
    if (type === 'Float64') field.floats[row] = value
    else if (Number.isNaN(value)) new BigInt64Array(field.words.buffer)[row] = number.integer
    else {
      field.words[row * 2] = value >>> 0
      field.words[row * 2 + 1] = Math.floor(value / 4294967296)
    }
    return end
  }

  #readFlag(field: FieldColumn, row: number, start: number): number {
    const body = this.body
    let end = start
    // The longest boolean has five characters.
    while (end < start + 6 && isLetter(body[end])) end++
    const flag = flags[body.toString('latin1', start, end)]
    if (flag === undefined) throw this.#notValue(start)
    if (!field.take(row, 'Boolean')) throw this.#wrongType(field, 'Boolean', start)
    field.flags[row] = flag
    return end
  }

  #readText(field: FieldColumn, row: number, start: number): number {
    const body = this.body
    const from = start + 1
    const last = from + this.#maxTextBytes
    let end = from
    let isEscaped = false
    let plain = from + longText
    for (let byte = body[end]; byte !== quote; byte = body[++end]) {
      if (end === plain) {
        end = skipPlain(body, end, last + 1)
        plain = end + longText
        byte = body[end]
        if (byte === quote) break
      }
      if (byte === undefined) throw failure(body, start, 'a text has no closing quote')
      if (end > last)
        throw failure(
          body,
          start,
          `a text takes more than ${this.#maxTextBytes} bytes (plugins.lineproto.max_text_size)`
        )
      if (byte !== backslash) continue
      isEscaped = true
      end++
      plain = end + longText
    }
    if (!field.take(row, 'String')) throw this.#wrongType(field, 'String', start)
    const at = field.takeText(row, end - from)
    field.offsets[row + 1] =
      at + (isEscaped ? putEscaped(body, from, end, field.text, at) : put(body, from, end, field.text, at))
    return end + 1
  }

  #wrongType(field: FieldColumn, type: FieldType, at: number): DbError {
    const { name, at: before } = field
    const { line } = failure(this.body, before, '')
    return failure(
      this.body,
      at,
      `field ${name} of table ${this.table} is ${type} here and ${field.type} in line ${line}`
    )
  }

  #notValue(at: number): DbError {
    const expected = 'a number, an integer with i or u, a boolean, or a text in quotes'
    return failure(this.body, at, `${this.#valueAt(at)} is no value, expected ${expected}`)
  }

  /** The value as it was sent, shortened. */
  #valueAt(start: number): string {
    let end = start
    while (end < start + 40 && end < this.body.length && ![comma, space, feed, carriage].includes(this.body[end]!))
      end++
    return JSON.stringify(this.body.toString('utf8', start, end))
  }
}

/** Whether a line ends here: at LF, CRLF or the end of the body. */
export function isLineEnd(body: Uint8Array, at: number): boolean {
  const byte = body[at]
  if (byte === feed || byte === undefined) return true
  if (byte !== carriage) return false
  const next = body[at + 1]
  return next === feed || next === undefined
}

const flags: Readonly<Record<string, number>> = Object.freeze({
  __proto__: null as unknown as number,
  ...Object.fromEntries(['t', 'T', 'true', 'True', 'TRUE'].map(word => [word, 1])),
  ...Object.fromEntries(['f', 'F', 'false', 'False', 'FALSE'].map(word => [word, 0]))
})

function isLetter(byte: number | undefined): boolean {
  return byte !== undefined && (byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x7a
}

/** After this many bytes without a backslash the search goes on with `indexOf`, in windows of the second size. */
const [longText, window] = [256, 1 << 16]

/** The first quote or backslash from an offset on; `end` if there is none before it. */
function skipPlain(body: Uint8Array, start: number, end: number): number {
  for (let at = start; at < end; at += window) {
    const part = body.subarray(at, Math.min(end, at + window))
    const escaped = part.indexOf(backslash)
    const found = (escaped < 0 ? part : part.subarray(0, escaped)).indexOf(quote)
    if (found >= 0 || escaped >= 0) return at + (found >= 0 ? found : escaped)
  }
  return Math.min(end, body.length)
}

function put(body: Uint8Array, start: number, end: number, text: Uint8Array, at: number): number {
  if (end - start > 64) text.set(body.subarray(start, end), at)
  else for (let i = start; i < end; i++) text[at + i - start] = body[i]!
  return end - start
}

/** In texts only quotes and backslashes are escaped. */
function putEscaped(body: Uint8Array, start: number, end: number, text: Uint8Array, at: number): number {
  let to = at
  for (let i = start; i < end; i++) {
    if (body[i] === backslash && (body[i + 1] === quote || body[i + 1] === backslash)) i++
    text[to++] = body[i]!
  }
  return to - at
}
