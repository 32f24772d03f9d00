// Decodes a push request in JSON. The usual form is read from bytes without an object per entry, other forms value by value.
import { isUtf8 } from 'node:buffer'
import {
  DbError,
  eachMember,
  elements,
  type ItemValue,
  isShort,
  type JsonCursor,
  jsonCursor,
  members,
  ParseError,
  passJson,
  passSteps,
  readJson,
  type Steps,
  skipSpace,
  startsWith,
  textEnd,
  unescapeJson,
  unexpected,
  writeJson
} from '../../../core/index.ts'
import { plainMetadataEnd, setTimeDigits } from './plain.ts'
import { Push } from './push.ts'

/** Entries of one step. */
const stepEntries = 64

const quote = 0x22
const comma = 0x2c

/**
 * Decodes `{"streams":[{"stream":{…},"values":[["nanoseconds","line",{…}]]}]}`. Invalid entries are left out and counted. Throws DbError
 * `InvalidArguments` for a body that is not JSON, not an object, or has no list of streams.
 */
export function* decodeJson(body: Uint8Array, maxBytes?: number): Steps<Push> {
  if (!isUtf8(body)) throw new DbError('InvalidArguments', 'Failed to parse payload as json: it is not valid UTF-8')
  const push = new Push(body, maxBytes)
  const cursor = jsonCursor(body)
  if (body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf) cursor.at = 3
  try {
    yield* readRequest(push, cursor)
  } catch (error) {
    if (!(error instanceof ParseError)) throw error
    throw new DbError('InvalidArguments', `Failed to parse payload as json: ${error.message}`, { cause: error })
  }
  return push
}

function* readRequest(push: Push, cursor: JsonCursor): Steps<void> {
  let streams = 'missing' as 'missing' | 'found' | 'wrong'
  const isObject = startsWith(cursor, 0x7b)
  if (!isObject) passJson(cursor)
  else {
    for (const key of members(cursor)) {
      if (key !== 'streams') passJson(cursor)
      else {
        restart(push)
        streams = startsWith(cursor, 0x5b) ? 'found' : 'wrong'
        if (streams === 'found') for (const _ of elements(cursor)) yield* readStream(push, cursor)
        else passJson(cursor)
      }
    }
  }
  const rest = skipSpace(cursor, cursor.at)
  if (rest < cursor.end) throw unexpected(cursor, rest, 'the end of the document')
  if (!isObject) throw new DbError('InvalidArguments', 'payload is not an object')
  if (streams !== 'found')
    throw new DbError('InvalidArguments', streams === 'wrong' ? 'streams is not an array' : 'missing streams')
}

/** Of equal keys the last one counts. */
function restart(push: Push): void {
  push.batch.rows = 0
  push.streams.length = 0
  push.skipped = 0
  push.errors.length = 0
}

function* readStream(push: Push, cursor: JsonCursor): Steps<void> {
  if (!startsWith(cursor, 0x7b)) {
    passJson(cursor)
    push.skip('the stream is not an object')
    return
  }
  const first = push.batch.rows
  let labels: ReadonlyMap<string, string> = new Map()
  for (const key of members(cursor)) {
    if (key === 'stream') labels = readLabels(push, cursor)
    else if (key === 'values') {
      push.batch.rows = first
      if (startsWith(cursor, 0x5b)) {
        for (const _ of elements(cursor)) {
          if (push.isLarge(cursor.end - cursor.at) && !isShort(cursor, push.maxBytes)) {
            yield* passSteps(cursor)
            push.skipLarge()
          } else readEntry(push, cursor)
          if (push.batch.rows % stepEntries === 0) yield
        }
      } else {
        passJson(cursor)
        push.skip('values is not an array')
      }
    } else passJson(cursor)
  }
  push.addStream(labels, first)
}

function readLabels(push: Push, cursor: JsonCursor): ReadonlyMap<string, string> {
  const labels = new Map<string, string>()
  if (!startsWith(cursor, 0x7b)) {
    passJson(cursor)
    push.dropped.label++
    return labels
  }
  eachMember(cursor, key => {
    const value = readJson(cursor)
    if (typeof value === 'string') labels.set(key, value)
    else push.dropped.label++
  })
  return labels
}

function readEntry(push: Push, cursor: JsonCursor): void {
  const start = cursor.at
  const end = readPlainEntry(push, cursor, push.next())
  if (end > 0) {
    cursor.at = end
    push.add()
    return
  }
  cursor.at = start
  const fault = takeEntry(push, readJson(cursor))
  if (fault !== undefined) push.skip(fault)
}

/** Reads `["digits","line"]` or `["digits","line",{"k":"v"}]`, the usual forms of an entry, and returns the end; -1 for any other form. */
function readPlainEntry(push: Push, cursor: JsonCursor, row: number): number {
  const { bytes, at: start, end } = cursor
  if (bytes[start] !== 0x5b || bytes[start + 1] !== quote) return -1
  let at = setTimeDigits(push.time, row, bytes, start + 2, end)
  if (at < 0 || bytes[at] !== quote || bytes[at + 1] !== comma) return -1
  at = skipSpace(cursor, at + 2)
  if (bytes[at] !== quote) return -1
  at = readLine(push, cursor, row, at + 1)
  if (bytes[at] === comma) {
    const from = skipSpace(cursor, at + 1)
    at = plainMetadataEnd(bytes, from, end)
    if (at < 0) return -1
    if (at - from > 2) push.metadata.setRange(row, from, at)
  }
  return at < end && bytes[at] === 0x5d ? at + 1 : -1
}

/** Reads the text that begins behind a quote as the row's line; returns the position behind it. */
function readLine({ batch, line }: Push, cursor: JsonCursor, row: number, start: number): number {
  const { bytes, end } = cursor
  let at = start
  while (at < end) {
    const byte = bytes[at]!
    if (byte === quote || byte === 0x5c || byte < 0x20) break
    at++
  }
  if (bytes[at] === quote) {
    line.setRange(row, start, at)
    return at + 1
  }
  const close = textEnd(cursor, at)
  const plain = Buffer.allocUnsafe(close - start)
  const length = unescapeJson(cursor, start, close, plain)
  const from = batch.append(plain.subarray(0, length))
  line.setRange(row, from, from + length)
  return close + 1
}

/** Adds an entry, or returns why it is invalid. */
function takeEntry(push: Push, value: ItemValue): string | undefined {
  if (!Array.isArray(value) || value.length < 2) return 'expected an array of a time and a line'
  const [time, line, metadata] = value
  const ns = timeOf(time)
  if (ns === undefined) return 'expected the time as a text of nanoseconds since 1970, of 64 bits'
  if (typeof line !== 'string') return 'the line is not a text'
  const row = push.next()
  push.time.setTimestamp(row, ns)
  push.batch.setText(push.line, row, line)
  const text = metadata === undefined ? undefined : metadataText(push, metadata)
  if (text !== undefined) push.batch.setText(push.metadata, row, text)
  push.add()
  return undefined
}

function timeOf(value: ItemValue | undefined): bigint | undefined {
  const isText = typeof value === 'string' && /^[+-]?\d{1,40}$/.test(value)
  if (!isText && typeof value !== 'bigint') return undefined
  const ns = BigInt(value)
  return BigInt.asIntN(64, ns) === ns ? ns : undefined
}

function metadataText(push: Push, value: ItemValue): string | undefined {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  const all = isObject ? Object.entries(value) : []
  const texts = all.filter(([, member]) => typeof member === 'string')
  push.dropped.metadata += isObject ? all.length - texts.length : 1
  return texts.length === 0 ? undefined : writeJson(Object.assign(Object.create(null), Object.fromEntries(texts)))
}
