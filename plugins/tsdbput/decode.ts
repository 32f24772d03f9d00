// Decodes the JSON of a put request, an object or an array of objects, to columns of points. Tags stay undecoded.

import { isUtf8 } from 'node:buffer'
import {
  DbError,
  eachMember,
  elements,
  isExactFloat,
  isShort,
  type JsonCursor,
  jsonCursor,
  jsonError,
  passJson,
  readJson,
  readNumber,
  type Steps,
  shorten,
  skipSpace,
  startsWith,
  textEnd,
  unexpected
} from '../../core/index.ts'
import type { SeriesKeys } from '../../core/wire/index.ts'

export interface Points {
  readonly body: Buffer
  readonly count: number
  /** Start of each point in the body. */
  readonly starts: readonly number[]
  readonly ends: readonly number[]
  readonly metrics: readonly string[]
  /** Index in `metrics`, per point. */
  readonly metricOf: readonly number[]
  /** Milliseconds since 1970. */
  readonly times: readonly number[]
  readonly values: readonly number[]
  /** Metric and tags as written. Consecutive points of a metric with equal bytes share a key. */
  readonly keys: SeriesKeys
  /** Start of the tags, per key. */
  readonly tags: readonly number[]
  /** Index of the key, per point. */
  readonly keyOf: readonly number[]
  /** Points that cannot be stored, by index, with the reason. */
  readonly failures: Map<number, string>
}

/** Points that are read in one step. */
const stepPoints = 128

/** From the opening to behind the end. */
interface Range {
  readonly start: number
  readonly end: number
}

/**
 * Throws ParseError for invalid JSON, an invalid point, or a point of more than `maxBytes`; DbError `InvalidArguments` if there is no point.
 */
export function* decodePoints(body: Buffer, maxBytes = Number.POSITIVE_INFINITY): Steps<Points> {
  const cursor = jsonCursor(body)
  if (!isUtf8(body)) throw jsonError(cursor, 0, 'invalid UTF-8 in the document beginning')
  cursor.at = skipSpace(cursor, 0)
  const reader = new PointReader(cursor, maxBytes)
  if (cursor.at < cursor.end) {
    if (body[cursor.at] === 0x5b) {
      for (const _ of elements(cursor)) {
        reader.readPoint()
        if (reader.count % stepPoints === 0) yield
      }
    } else reader.readPoint()
    if (skipSpace(cursor, cursor.at) < cursor.end) throw unexpected(cursor, cursor.at, 'the end of the document')
  }
  return reader.finish()
}

class PointReader {
  readonly #cursor: JsonCursor
  readonly #maxBytes: number
  readonly #starts: number[] = []
  readonly #ends: number[] = []
  readonly #metrics: string[] = []
  readonly #metricNumbers = new Map<string, number>()
  readonly #metricOf: number[] = []
  readonly #times: number[] = []
  readonly #values: number[] = []
  readonly #tags: number[] = []
  readonly #failures = new Map<number, string>()
  #keys = Buffer.allocUnsafe(1024)
  readonly #keyEnds: number[] = []
  readonly #keyOf: number[] = []
  /** The last key of each metric. */
  readonly #lastKeys: number[] = []
  #used = 0

  constructor(cursor: JsonCursor, maxBytes: number) {
    this.#cursor = cursor
    this.#maxBytes = maxBytes
  }

  get count(): number {
    return this.#starts.length
  }

  readPoint(): void {
    const cursor = this.#cursor
    const start = cursor.at
    if (cursor.end - start > this.#maxBytes && !isShort(cursor, this.#maxBytes)) {
      const reason = `a point takes more than ${this.#maxBytes} bytes (plugins.tsdbput.max_point_size)`
      throw jsonError(cursor, start, reason)
    }
    let [metric, tags]: (Range | undefined)[] = []
    let [time, value]: (bigint | number | string | undefined)[] = []
    members(cursor, 'a point', key => {
      if (key === 'metric') metric = readText(cursor, 'metric')
      else if (key === 'tags') tags = readTags(cursor)
      else if (key === 'timestamp') time = readScalar(cursor, key)
      else if (key === 'value') value = readScalar(cursor, key)
      else passJson(cursor, 2)
    })
    if (metric === undefined) throw jsonError(cursor, start, 'a point has no metric')
    if (time === undefined) throw jsonError(cursor, start, 'a point has no timestamp')
    if (typeof time === 'number') throw jsonError(cursor, start, 'the timestamp of a point is not an integer')
    if (value === undefined) throw jsonError(cursor, start, 'a point has no value')
    if (tags === undefined) throw jsonError(cursor, start, 'a point has no tags')
    this.#add({ start, end: cursor.at }, metric, tags, time, value)
  }

  finish(): Points {
    if (this.#starts.length === 0) throw new DbError('InvalidArguments', 'No datapoints found in content')
    const keyEnds = Uint32Array.from(this.#keyEnds)
    const keyStarts = new Uint32Array(keyEnds.length)
    keyStarts.set(keyEnds.subarray(0, -1), 1)
    return {
      body: this.#cursor.bytes,
      count: this.#starts.length,
      starts: this.#starts,
      ends: this.#ends,
      metrics: this.#metrics,
      metricOf: this.#metricOf,
      times: this.#times,
      values: this.#values,
      keys: { count: keyEnds.length, bytes: this.#keys, starts: keyStarts, ends: keyEnds },
      tags: this.#tags,
      keyOf: this.#keyOf,
      failures: this.#failures
    }
  }

  #add(point: Range, metric: Range, tags: Range, time: bigint | string, value: bigint | number | string): void {
    const i = this.#starts.push(point.start) - 1
    this.#ends.push(point.end)
    this.#metricOf.push(this.#metricNumber(metric))
    this.#times.push(milliseconds(time))
    this.#values.push(typeof value === 'string' ? numberOf(value) : Number(value))
    const integer = typeof value === 'bigint' ? value : integerOf(value)
    this.#keyOf.push(this.#keyNumber(this.#metricOf[i]!, metric, tags))
    if (this.#metrics[this.#metricOf[i]!] === '') this.#failures.set(i, 'Metric name was empty')
    else if (Number.isNaN(this.#times[i])) this.#failures.set(i, `Invalid timestamp: ${shortened(String(time))}`)
    else if (Number.isNaN(this.#values[i]))
      this.#failures.set(
        i,
        value === '' ? 'Empty value' : `Unable to parse value to a number: ${shortened(String(value))}`
      )
    else if (integer !== undefined && !isExactFloat(integer))
      this.#failures.set(i, `Value would lose digits as a float of 64 bits: ${shortened(String(value))}`)
  }

  #metricNumber({ start, end }: Range): number {
    const written = this.#cursor.bytes.toString('utf8', start, end)
    const known = this.#metricNumbers.get(written)
    if (known !== undefined) return known
    const number = this.#metrics.push(readJson({ ...this.#cursor, at: start }) as string) - 1
    this.#metricNumbers.set(written, number)
    return number
  }

  #keyNumber(number: number, metric: Range, tags: Range): number {
    const last = this.#lastKeys[number]
    if (last !== undefined && this.#isTags(last, tags)) return last
    this.#append(metric)
    this.#tags.push(this.#used)
    this.#append(tags)
    this.#lastKeys[number] = this.#keyEnds.length
    return this.#keyEnds.push(this.#used) - 1
  }

  #isTags(key: number, { start, end }: Range): boolean {
    const from = this.#tags[key]!
    if (this.#keyEnds[key]! - from !== end - start) return false
    const { bytes } = this.#cursor
    for (let i = start; i < end; i++) if (bytes[i] !== this.#keys[from + i - start]) return false
    return true
  }

  #append({ start, end }: Range): void {
    const used = this.#used + end - start
    if (used > this.#keys.length) {
      const keys = Buffer.allocUnsafe(used * 2)
      this.#keys.copy(keys, 0, 0, this.#used)
      this.#keys = keys
    }
    this.#cursor.bytes.copy(this.#keys, this.#used, start, end)
    this.#used = used
  }
}

/** A value shortened for messages. */
function shortened(text: string): string {
  return shorten(text, 60)
}

/** Numbers of fewer than 13 digits are seconds. NaN for anything but an exact integer. */
function milliseconds(written: bigint | string): number {
  const text = String(written)
  if (!/^-?[0-9]{1,16}$/.test(text)) return Number.NaN
  const time = Number(text)
  if (!Number.isSafeInteger(time)) return Number.NaN
  return Math.abs(time) < 1e12 ? time * 1000 : time
}

function numberOf(text: string): number {
  if (!/^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$/.test(text)) return Number.NaN
  const value = Number(text)
  return Number.isFinite(value) ? value : Number.NaN
}

function integerOf(value: number | string): bigint | undefined {
  return typeof value === 'string' && /^-?[0-9]{1,40}$/.test(value) ? BigInt(value) : undefined
}

/** A text with its quotes. */
function readText(cursor: JsonCursor, what: string): Range {
  if (!startsWith(cursor, 0x22)) throw unexpected(cursor, cursor.at, `${what} as a text`)
  const start = cursor.at
  const end = textEnd(cursor, start + 1) + 1
  // Checks the escapes.
  if (cursor.bytes.subarray(start, end).includes(0x5c)) readJson(cursor)
  cursor.at = end
  return { start, end }
}

/** A number, or a text. */
function readScalar(cursor: JsonCursor, what: string): bigint | number | string {
  cursor.at = skipSpace(cursor, cursor.at)
  const first = cursor.bytes[cursor.at]
  if (first === 0x22) return readJson(cursor) as string
  if (first !== 0x2d && !(first !== undefined && first >= 0x30 && first <= 0x39)) {
    throw unexpected(cursor, cursor.at, `${what} as a number or a text`)
  }
  return readNumber(cursor)
}

/** An object whose values are texts. */
function readTags(cursor: JsonCursor): Range {
  cursor.at = skipSpace(cursor, cursor.at)
  const start = cursor.at
  members(cursor, 'tags', () => readText(cursor, 'the value of a tag'))
  return { start, end: cursor.at }
}

/** Reads an object; `read` is called at each value with its key. */
function members(cursor: JsonCursor, what: string, read: (key: string) => void): void {
  if (!startsWith(cursor, 0x7b)) throw unexpected(cursor, cursor.at, `${what} as an object`)
  eachMember(cursor, read)
}
