// Decodes a request of raw text: an event per line, per part between custom line breakers, or for the whole body.
import { isUtf8 } from 'node:buffer'
import { checkCells, ItemBatch, ItemField, type Steps, timeColumn, tooManyValues } from '../../../core/index.ts'
import { CollectorError } from '../errors.ts'
import { type Events, tagKeys } from './events.ts'
import { setTime } from './time.ts'

const messageKey = 'message'
const carriageReturn = 0x0d
/** Bytes handled between two yields to other requests. */
const stepBytes = 64 * 1024

interface RawOptions {
  readonly table: string
  readonly linebreaker: string | undefined
  /** Without a line breaker: true makes every line an event, false the whole body. */
  readonly lines: boolean
  /** Maximum parts of the body; 0 or absent: no limit. */
  readonly maxValues?: number
  /** The time in the request. */
  readonly time: string | undefined
  /** Nanoseconds since 1970; used if the request has no time. */
  readonly now: bigint
  /** Values of the protocol's keys in the request. */
  readonly tags: Readonly<Record<string, string | undefined>>
}

/** Throws CollectorError for an empty body, bytes that are not text, and an invalid time. */
export function* readRaw(body: Uint8Array, options: RawOptions): Steps<Events> {
  if (!isUtf8(body)) throw new CollectorError(6, 'the body is not valid UTF-8')
  const batch = new ItemBatch(16, body)
  const message = batch.getOrCreateField(messageKey)
  const isLines = options.linebreaker === undefined && options.lines
  const breaker = Buffer.from(options.linebreaker ?? (isLines ? '\n' : ''))
  yield* eachPart(body, breaker, (start, behind) => {
    const end = isLines && behind < body.length && body[behind - 1] === carriageReturn ? behind - 1 : behind
    if (batch.rows === options.maxValues && batch.rows > 0) throw tooManyValues(batch.rows)
    if (batch.rows === batch.capacity) {
      checkCells(tagKeys.length + 2, batch.capacity * 2)
      batch.reserve(batch.capacity * 2)
    }
    message.setRange(batch.rows++, start, end)
  })
  if (batch.rows === 0) throw new CollectorError(5)
  for (const key of tagKeys) {
    const value = options.tags[key]
    if (value !== undefined) fill(batch, key, value)
    yield
  }
  const rows = Uint32Array.from({ length: batch.rows }, (_, row) => row)
  return { batch, time: timesOf(batch.rows, options), groups: [{ table: options.table, rows }] }
}

/** Calls `take` for parts that are not blank. */
function* eachPart(body: Uint8Array, breaker: Uint8Array, take: (start: number, end: number) => void): Steps<void> {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.length)
  for (let start = 0, step = 0; start < bytes.length; ) {
    if (start >= step) {
      step = start + stepBytes
      yield
    }
    const found = breaker.length === 0 ? -1 : bytes.indexOf(breaker, start)
    const end = found < 0 ? bytes.length : found
    if (!isBlank(bytes, start, end)) take(start, end)
    start = end + Math.max(1, breaker.length)
  }
}

function isBlank(bytes: Uint8Array, start: number, end: number): boolean {
  let at = start
  while (at < end && bytes[at]! <= 0x20) at++
  return at === end
}

function fill(batch: ItemBatch, key: string, value: string): void {
  const field = batch.getOrCreateField(key)
  const bytes = Buffer.from(value)
  const start = batch.append(bytes)
  for (let row = 0; row < batch.rows; row++) field.setRange(row, start, start + bytes.length)
}

function timesOf(rows: number, { time, now }: RawOptions): ItemField {
  const times = new ItemField(timeColumn, rows)
  const text = Buffer.from(time ?? '')
  for (let row = 0; row < rows; row++) {
    if (time === undefined) times.setTimestamp(row, now)
    else if (!setTime(times, row, text, 0, text.length))
      throw new CollectorError(6, `the time is not a number since 1970: ${time.slice(0, 60)}`)
  }
  return times
}
