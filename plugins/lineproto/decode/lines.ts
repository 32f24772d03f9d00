// Decodes line protocol to columns in one pass over the bytes. Names and tags that earlier lines had are compared as bytes, without making strings.
import { isUtf8 } from 'node:buffer'
import { DbError, endsStep, type Limit, nameProblem, putNanoseconds, type Steps } from '../../../core/index.ts'
import { escapable, unescapeText } from './escape.ts'
import type { FieldColumn } from './field.ts'
import { type DecodedTable, Measurement } from './measurement.ts'
import { failure } from './position.ts'
import { Slab } from './slab.ts'
import { type Precision, putTime } from './time.ts'
import { isLineEnd, ValueReader } from './value.ts'

/** Named like the configuration keys. */
export interface DecodeLimits {
  /** Measurements of one request. */
  readonly max_request_tables: number
  /** Values of one request, nulls included. */
  readonly max_request_cells: number
  /** Bytes of the measurement and the tags of one line, escapes included. */
  readonly max_key_size: number
  /** Bytes of the text of one field, escapes included. */
  readonly max_text_size: number
  /** Bytes kept for later requests. */
  readonly cache_size: number
}

const [feed, carriage, space, hash, comma, minus, equals, backslash] = [0x0a, 0x0d, 0x20, 0x23, 0x2c, 0x2d, 0x3d, 0x5c]

/** Approximate bytes of a remembered name besides its text. */
const spellingBytes = 100

/** Bytes of a value while lines are decoded, and in its column. */
const cellBytes = 2 * 8

/** Bytes decoded, values made room for, and tables begun or completed, per step. */
const stepBytes = 16 * 1024
const stepCells = 64 * 1024
const stepTables = 64

/** Maximum bytes of a field name with every character escaped, and of a time with leading zeros. */
const maxFieldKey = 2 * 255
const maxTimeLength = 64
const maxSpaces = 1 << 20

/** A line that is read in several steps. */
interface OpenLine {
  readonly measurement: Measurement
  readonly row: number
  /** The field that was read last, or whose value is being read. */
  readonly before: FieldColumn | undefined
  /** Where the next field begins; -1: within the value of `before`. */
  readonly at: number
}

const nothing = Buffer.alloc(0)
const none: Limit = { max: 0, key: '' }

/** Decodes one body at a time. It remembers measurements and fields of earlier bodies only to be faster. */
export class LineDecoder {
  readonly #limits: DecodeLimits
  readonly #values: ValueReader
  #measurements = new Map<string, Measurement>()
  #spellings = new Map<string, Measurement>()
  #used: Measurement[] = []
  #last: Measurement | undefined
  #open: OpenLine | undefined
  #kept = 0
  #cells = 0
  #body: Buffer = nothing
  #precision: Precision | undefined
  #columns: Limit = none
  /** The time of lines without one: seconds and nanoseconds. */
  #now: readonly [number, number] = [0, 0]

  constructor(limits: DecodeLimits) {
    this.#limits = limits
    this.#values = new ValueReader(limits.max_text_size)
  }

  /**
   * The tables of a body, in order of first appearance; tags stay undecoded keys. `now` is in nanoseconds since 1970; `columns` limits the fields
   * of a table. Throws ParseError for the first invalid line.
   */
  *decode(body: Buffer, precision: Precision, now: bigint, columns: Limit): Steps<readonly DecodedTable[]> {
    this.#body = body
    this.#values.body = body
    this.#precision = precision
    this.#columns = columns
    this.#now = [Number(now / 1_000_000_000n), Number(now % 1_000_000_000n)]
    try {
      if (!isUtf8(body)) throw yield* invalidText(body)
      for (let at = 0, end = stepBytes, cells = stepCells, tables = stepTables; at < body.length; ) {
        let next = this.#readLine(at)
        while (next < 0) {
          yield this.#cells * cellBytes
          next = this.#goOn()
        }
        at = next
        if (at < end && this.#cells < cells && this.#used.length < tables) continue
        end = at + stepBytes
        cells = this.#cells + stepCells
        tables = this.#used.length + stepTables
        yield this.#cells * cellBytes
      }
      return yield* this.#finish()
    } finally {
      this.#reset()
    }
  }

  *#finish(): Steps<DecodedTable[]> {
    let [bytes, keyBytes] = [0, 0]
    for (const [i, measurement] of this.#used.entries()) {
      if (endsStep(i, stepTables)) yield
      bytes += yield* measurement.close()
      keyBytes += measurement.keyBytes
    }
    const [columns, keys] = [new Slab(bytes), new Slab(keyBytes)]
    const tables: DecodedTable[] = []
    for (const [i, measurement] of this.#used.entries()) {
      if (endsStep(i, stepTables)) yield
      tables.push(yield* measurement.copy(this.#body, columns, keys))
    }
    yield* columns.fill()
    yield* keys.fill()
    return tables
  }

  /** Decodes a line; returns where the next one begins, or -1 if the line is so long that `goOn` decodes the rest. */
  #readLine(start: number): number {
    const body = this.#body
    let at = start
    const pause = start + stepBytes
    while (body[at] === space || body[at] === 0x09) if (++at === pause) return at
    const first = body[at]
    if (first === feed) return at + 1
    if (first === undefined) return at
    if (first === carriage && isLineEnd(body, at)) return at + 1
    if (first === hash) {
      const end = body.indexOf(feed, at)
      return end < 0 ? body.length : end + 1
    }
    return this.#readPoint(at)
  }

  #readPoint(start: number): number {
    const body = this.#body
    let at = start
    let name = -1
    const stop = Math.min(body.length, start + this.#limits.max_key_size)
    for (; at < stop; at++) {
      const byte = body[at]
      if (byte === space) break
      if (byte === comma) {
        if (name < 0) name = at
      } else if (byte === backslash) at++
      else if (byte === feed) throw failure(body, at, 'a line needs fields')
    }
    if (at >= stop && body[at] !== space) throw this.#endless(start)
    if (name < 0) name = at
    if (name === start) throw failure(body, start, 'a line needs a measurement')
    const measurement = this.#measurementAt(start, name)
    const row = measurement.addRow(body, start, at)
    return this.#readFields(measurement, row, undefined, this.#skipSpaces(at))
  }

  /** The next step of a long line; returns what `readLine` does. */
  #goOn(): number {
    const { measurement, row, before, at } = this.#open!
    if (at >= 0) return this.#readFields(measurement, row, before, at)
    const end = this.#values.goOn()
    if (end < 0) return end
    if (this.#body[end] !== comma) return this.#endPoint(measurement, row, end)
    return this.#readFields(measurement, row, before, end + 1)
  }

  /** Begins behind the fields; returns where the next line begins. */
  #endPoint(measurement: Measurement, row: number, at: number): number {
    this.#cells += measurement.used.length
    if (this.#cells > this.#limits.max_request_cells) throw this.#tooManyCells()
    return this.#readTime(measurement, row, at)
  }

  #endless(start: number): DbError {
    const { max_key_size: max } = this.#limits
    if (start + max >= this.#body.length) return failure(this.#body, this.#body.length, 'a line needs fields')
    const reason = `measurement and tags take more than ${max} bytes (plugins.lineproto.max_key_size)`
    return failure(this.#body, start, reason)
  }

  #measurementAt(start: number, end: number): Measurement {
    const body = this.#body
    const last = this.#last
    let found = last
    if (found === undefined || !isSpelled(found.spelled, body, start, end)) {
      found = last?.next
      if (found === undefined || !isSpelled(found.spelled, body, start, end)) {
        found = this.#lookUp(start, end)
        if (last !== undefined) last.next = found
      }
    }
    if (found.rows === 0) {
      this.#used.push(found)
      found.columns = this.#columns
      if (this.#used.length > this.#limits.max_request_tables) {
        const max = this.#limits.max_request_tables
        throw failure(body, start, `more than ${max} measurements in a request (plugins.lineproto.max_request_tables)`)
      }
    }
    this.#last = found
    this.#values.table = found.name
    return found
  }

  #lookUp(start: number, end: number): Measurement {
    const spelling = this.#body.toString('latin1', start, end)
    const known = this.#spellings.get(spelling)
    if (known !== undefined) return known
    const name = unescapeText(this.#body, start, end, escapable.measurement)
    const problem = nameProblem('table', name)
    if (problem !== undefined) throw failure(this.#body, start, problem)
    let measurement = this.#measurements.get(name)
    if (measurement === undefined) {
      const spelled = Uint8Array.from(this.#body.subarray(start, end))
      measurement = new Measurement(name, spelled, this.#columns)
      this.#measurements.set(name, measurement)
    }
    this.#spellings.set(spelling, measurement)
    this.#kept += spelling.length + spellingBytes
    return measurement
  }

  /** Decodes the fields from the name of the one behind `last` on; returns what `readLine` does. */
  #readFields(measurement: Measurement, row: number, last: FieldColumn | undefined, start: number): number {
    const body = this.#body
    const stop = start + stepBytes
    let before = last
    for (let at = start; ; at++) {
      if (at > stop) {
        this.#open = { measurement, row, before, at }
        return -1
      }
      const guess = before === undefined ? measurement.first : before.next
      const key = at
      let field: FieldColumn
      if (guess !== undefined && begins(guess.spelled, body, at)) {
        field = guess
        at += guess.spelled.length
      } else {
        at = this.#keyEnd(at)
        field = measurement.field(body, key, at)
        if (before === undefined) measurement.first = field
        else before.next = field
      }
      if (field.type === undefined) {
        field.at = key
        measurement.used.push(field)
        this.#cells += row
      }
      before = field
      at = this.#values.read(field, row, at)
      if (at < 0) {
        this.#open = { measurement, row, before, at }
        return at
      }
      if (body[at] !== comma) return this.#endPoint(measurement, row, at)
    }
  }

  /** The position behind the `=` of the key at a position. */
  #keyEnd(start: number): number {
    const body = this.#body
    for (let at = start; ; at++) {
      const byte = body[at]
      if (byte === equals) {
        if (at === start) throw failure(body, at, 'a field without a name')
        return at + 1
      }
      if (at > start + maxFieldKey) throw failure(body, start, 'the name of a field has more than 255 bytes')
      if (byte === backslash) at++
      else if (byte === comma || byte === space || byte === feed || byte === undefined) {
        throw failure(body, Math.min(at, body.length), 'a field needs = and a value')
      }
    }
  }

  /** Decodes the time, which follows the fields; returns where the next line begins. */
  #readTime(measurement: Measurement, row: number, start: number): number {
    const body = this.#body
    let at = this.#skipSpaces(start)
    if (isLineEnd(body, at)) {
      putNanoseconds(measurement.times, row, this.#now[0], this.#now[1])
      return this.#nextLine(at)
    }
    const time = at
    if (body[at] === minus) at++
    const digits = at
    while (body[at]! >= 0x30 && body[at]! <= 0x39 && at < digits + maxTimeLength) at++
    if (at === digits) throw failure(body, time, 'a timestamp must be an integer')
    if (!putTime(body, time, at, this.#precision!, measurement.times, row))
      throw failure(
        body,
        time,
        `timestamp ${body.toString('latin1', time, Math.min(at, time + 40))} is out of range: nanoseconds since 1970 must fit 64 bits`
      )
    const end = at
    at = this.#skipSpaces(at)
    if (!isLineEnd(body, at)) throw failure(body, end, 'trailing content after the timestamp')
    return this.#nextLine(at)
  }

  #skipSpaces(start: number): number {
    const body = this.#body
    let at = start
    while (body[at] === space) {
      if (++at - start > maxSpaces)
        throw failure(body, start, `more than ${maxSpaces} spaces between two parts of a line`)
    }
    return at
  }

  #nextLine(at: number): number {
    return this.#body[at] === carriage ? at + 2 : at + 1
  }

  #tooManyCells(): DbError {
    const max = this.#limits.max_request_cells
    return new DbError(
      'InvalidArguments',
      `the lines take more than ${max} values, those that lines leave out included; send fewer lines at once (plugins.lineproto.max_request_cells)`
    )
  }

  #reset(): void {
    for (const measurement of this.#used) this.#kept += measurement.reset()
    this.#used = []
    this.#cells = 0
    this.#open = undefined
    this.#body = this.#values.body = nothing
    if (this.#kept <= this.#limits.cache_size) return
    this.#measurements = new Map()
    this.#spellings = new Map()
    this.#last = undefined
    this.#kept = 0
  }
}

function isSpelled(spelled: Uint8Array, body: Uint8Array, start: number, end: number): boolean {
  return spelled.length === end - start && begins(spelled, body, start)
}

/** Whether the body has these bytes at a position. */
function begins(bytes: Uint8Array, body: Uint8Array, at: number): boolean {
  for (let i = 0; i < bytes.length; i++) if (bytes[i] !== body[at + i]) return false
  return true
}

/** Bytes in which an error is looked for in one step. */
const searchedBytes = 1 << 20

function* invalidText(body: Buffer): Steps<DbError> {
  let at = 0
  // No character holds a line feed, so parts that end at one are valid by themselves.
  for (let max = searchedBytes; at < body.length; ) {
    const next = body.indexOf(feed, at + max)
    const end = next < 0 ? body.length : next + 1
    if (isUtf8(body.subarray(at, end))) at = end
    else if (max === 0) break
    else max >>= 1
    yield
  }
  return failure(body, at, 'invalid UTF-8 in the line that begins here,')
}
