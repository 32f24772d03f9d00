// Parses the value of a field and adds it to the field's column.
import type { DbError } from '../../../core/index.ts'
import type { FieldColumn, FieldType } from './field.ts'
import { NumberReader } from './number.ts'
import { failure } from './position.ts'

const [feed, carriage, space, quote, comma, minus, point, backslash] = [0x0a, 0x0d, 0x20, 0x22, 0x2c, 0x2d, 0x2e, 0x5c]

/** A text that takes several steps, and how far it has been decoded. */
interface LongText {
  readonly field: FieldColumn
  readonly row: number
  /** Position of its opening quote. */
  readonly start: number
  /** Position to go on at. */
  at: number
  hasEscapes: boolean
  /** Position of its closing quote, and where the next bytes are copied to, once the quote is found. */
  end: number
  to: number
}

export class ValueReader {
  body: Buffer = Buffer.alloc(0)
  /** The measurement, for error messages. */
  table = ''
  readonly #number = new NumberReader()
  readonly #maxTextBytes: number
  #long: LongText | undefined

  /** Maximum bytes of a text, escapes included. */
  constructor(maxTextBytes: number) {
    this.#maxTextBytes = maxTextBytes
  }

  /** Returns the end of the value, or -1 if it is a text so long that `goOn` decodes the rest. Throws ParseError. */
  read(field: FieldColumn, row: number, start: number): number {
    const first = this.body[start]!
    const end =
      first === quote
        ? this.#readText(field, row, start)
        : (first >= 0x30 && first <= 0x39) || first === minus || first === point
          ? this.#readNumber(field, row, start)
          : this.#readFlag(field, row, start)
    return end < 0 ? end : this.#checkEnd(start, end)
  }

  /** The next step of a long text; returns what `read` does. */
  goOn(): number {
    const long = this.#long!
    const end = this.#readLong(long)
    return end < 0 ? end : this.#checkEnd(long.start, end)
  }

  #checkEnd(start: number, end: number): number {
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
    let end = from
    let hasEscapes = false
    for (let byte = body[end]; byte !== quote; byte = body[++end]) {
      if (end - from >= longText) {
        this.#long = { field, row, start, at: end, hasEscapes, end: -1, to: 0 }
        return this.#readLong(this.#long)
      }
      this.#checkText(start, end)
      if (byte !== backslash) continue
      hasEscapes = true
      end++
    }
    const at = this.#takeText(field, row, start, end)
    const bytes = hasEscapes ? putEscaped(body, from, end, field.text, at) : put(body, from, end, field.text, at)
    field.offsets[row + 1] = at + bytes
    return end + 1
  }

  /** One step: finds the closing quote, then copies what is before it. */
  #readLong(long: LongText): number {
    const { body } = this
    const { field, row, start } = long
    if (long.end < 0) {
      if (!this.#findQuote(long)) return -1
      long.end = long.at
      long.at = start + 1
      long.to = this.#takeText(field, row, start, long.end)
    }
    const stop = Math.min(long.end, long.at + stepBytes)
    if (long.hasEscapes) {
      const { text } = field
      let { at, to } = long
      for (; at < stop; at++) {
        if (body[at] === backslash && isEscapable(body[at + 1])) at++
        text[to++] = body[at]!
      }
      long.at = at
      long.to = to
    } else {
      long.to += put(body, long.at, stop, field.text, long.to)
      long.at = stop
    }
    if (long.at < long.end) return -1
    field.offsets[row + 1] = long.to
    this.#long = undefined
    return long.end + 1
  }

  /** Goes on to the closing quote, or as far as one step goes. */
  #findQuote(long: LongText): boolean {
    const { body } = this
    const stop = long.at + stepBytes
    const last = long.start + 1 + this.#maxTextBytes
    let at = long.at
    let plain = at
    for (let byte = body[at]; byte !== quote; byte = body[++at]) {
      if (at >= plain) {
        at = skipPlain(body, at, Math.min(stop, last + 1))
        plain = at + longText
        byte = body[at]
        if (byte === quote) break
      }
      this.#checkText(long.start, at)
      if (at >= stop) {
        long.at = at
        return false
      }
      if (byte !== backslash) continue
      long.hasEscapes = true
      at++
      plain = at + longText
    }
    long.at = at
    return true
  }

  /** Whether a text can go on at `at`, where it does not end. */
  #checkText(start: number, at: number): void {
    if (at >= this.body.length) throw failure(this.body, start, 'a text has no closing quote')
    const max = this.#maxTextBytes
    if (at <= start + 1 + max) return
    throw failure(this.body, start, `a text takes more than ${max} bytes (plugins.lineproto.max_text_size)`)
  }

  /** Room for a text whose closing quote is found; returns where it begins. */
  #takeText(field: FieldColumn, row: number, start: number, end: number): number {
    if (!field.take(row, 'String')) throw this.#wrongType(field, 'String', start)
    return field.takeText(row, end - start - 1)
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
    return failure(this.body, at, `${this.#valueAt(at)} is not a value, expected ${expected}`)
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

/** After this many bytes without a backslash the search goes on with `indexOf`. */
const longText = 256
/** Bytes of a text that are searched or copied per step. */
const stepBytes = 1 << 16

/** The first quote or backslash from an offset on; `end` if there is none before it. */
function skipPlain(body: Uint8Array, start: number, end: number): number {
  const part = body.subarray(start, end)
  const escaped = part.indexOf(backslash)
  const found = (escaped < 0 ? part : part.subarray(0, escaped)).indexOf(quote)
  return start + (found >= 0 ? found : escaped >= 0 ? escaped : part.length)
}

function put(body: Uint8Array, start: number, end: number, text: Uint8Array, at: number): number {
  if (end - start > 64) text.set(body.subarray(start, end), at)
  else for (let i = start; i < end; i++) text[at + i - start] = body[i]!
  return end - start
}

/** In texts only quotes and backslashes are escaped. */
function isEscapable(byte: number | undefined): boolean {
  return byte === quote || byte === backslash
}

function putEscaped(body: Uint8Array, start: number, end: number, text: Uint8Array, at: number): number {
  let to = at
  for (let i = start; i < end; i++) {
    if (body[i] === backslash && isEscapable(body[i + 1])) i++
    text[to++] = body[i]!
  }
  return to - at
}
