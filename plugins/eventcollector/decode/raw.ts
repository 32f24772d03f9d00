// A request of raw text: every line is an event, or every part between other line breakers, or the body as a whole.
import { isUtf8 } from 'node:buffer'
import { checkCells, ItemBatch, ItemField, type Steps, tooManyValues } from '../../../core/index.ts'
import { CollectorError } from '../errors.ts'
import { type Events, tagKeys, timeColumn } from './events.ts'
import { setTime } from './time.ts'

const messageKey = 'message'
const carriageReturn = 0x0d
/** Bytes handled between two yields to other requests. */
const stepBytes = 64 * 1024

interface RawOptions {
  readonly table: string
  readonly linebreaker: string | undefined
  /** Without a line breaker every line is an event; otherwise the whole body is one. */
  readonly lines: boolean
  /** Parts the body may have; 0 or absent: any number. */
  readonly maxValues?: number
  /** As the request gives it. */
  readonly time: string | undefined
  /** Nanoseconds since 1970, where it gives none. */
  readonly now: bigint
  /** By key, those the request gives. */
  readonly tags: Readonly<Record<string, string | undefined>>
}

/** Throws CollectorError for a body without text, bytes that are none, and a time that is none. */
export function* readRaw(body: Uint8Array, options: RawOptions): Steps<Events> {
  if (!isUtf8(body)) throw new CollectorError(6, 'the body is not valid UTF-8')
  const batch = new ItemBatch(16, body)
  const message = batch.take(messageKey)
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

/** Calls `take` for the parts that are not blank. */
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
  const field = batch.take(key)
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
      throw new CollectorError(6, `the time is no number since 1970: ${time.slice(0, 60)}`)
  }
  return times
}
