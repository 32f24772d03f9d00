// Decodes a push request in JSON. The usual form is read from bytes without an object per entry, other forms value by value.
import { isUtf8 } from 'node:buffer'
import {
  DbError,
  elements,
  type ItemValue,
  isShort,
  type JsonCursor,
  jsonCursor,
  members,
  ParseError,
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
import { checkLabels, maxMetadata, Push, tooManyMetadata } from './push.ts'

/** Bytes of one step. */
const stepBytes = 1 << 12

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
  if (!isObject) yield* passSteps(cursor)
  else {
    for (const key of members(cursor)) {
      if (key !== 'streams') yield* passSteps(cursor)
      else {
        restart(push)
        streams = startsWith(cursor, 0x5b) ? 'found' : 'wrong'
        if (streams === 'found') yield* inSteps(push, cursor, elements(cursor), () => readStream(push, cursor))
        else yield* passSteps(cursor)
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

/** Reads each part of an object or array. */
function* inSteps<T>(push: Push, cursor: JsonCursor, parts: Iterable<T>, read: (part: T) => Steps<void>): Steps<void> {
  let step = cursor.at
  for (const part of parts) {
    yield* read(part)
    if (cursor.at - step < stepBytes) continue
    step = cursor.at
    yield push.memory
  }
}

function* readStream(push: Push, cursor: JsonCursor): Steps<void> {
  if (!startsWith(cursor, 0x7b)) {
    yield* passSteps(cursor)
    push.skip('the stream is not an object')
    return
  }
  const first = push.batch.rows
  let labels: ReadonlyMap<string, string> = new Map()
  for (const key of members(cursor)) {
    if (key === 'stream') labels = yield* readLabels(push, cursor)
    else if (key === 'values') {
      push.batch.rows = first
      if (startsWith(cursor, 0x5b)) yield* inSteps(push, cursor, elements(cursor), () => readEntry(push, cursor))
      else {
        yield* passSteps(cursor)
        push.skip('values is not an array')
      }
    } else yield* passSteps(cursor)
  }
  push.addStream(labels, first)
}

function* readLabels(push: Push, cursor: JsonCursor): Steps<ReadonlyMap<string, string>> {
  const labels = new Map<string, string>()
  if (!startsWith(cursor, 0x7b)) {
    yield* passSteps(cursor)
    push.dropped.label++
    return labels
  }
  push.checkLabelBytes(!push.isLarge(cursor.end - cursor.at) || isShort(cursor, push.maxBytes))
  yield* inSteps(push, cursor, members(cursor), function* (key) {
    const value = yield* readText(cursor)
    if (value === undefined) push.dropped.label++
    else labels.set(key, value)
    checkLabels(labels.size)
  })
  return labels
}

/** The text at the cursor; undefined for another value, which is passed. */
function* readText(cursor: JsonCursor): Steps<string | undefined> {
  if (startsWith(cursor, quote)) return readJson(cursor) as string
  yield* passSteps(cursor)
  return undefined
}

function* readEntry(push: Push, cursor: JsonCursor): Steps<void> {
  if (push.isLarge(cursor.end - cursor.at) && !isShort(cursor, push.maxBytes)) {
    yield* passSteps(cursor)
    push.skipLarge()
    return
  }
  const start = cursor.at
  const end = readPlainEntry(push, cursor, push.next())
  if (end > 0) {
    cursor.at = end
    push.add()
    return
  }
  cursor.at = start
  const fault = yield* readAnyEntry(push, cursor)
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

/** Adds an entry of any form, or returns why it is invalid. */
function* readAnyEntry(push: Push, cursor: JsonCursor): Steps<string | undefined> {
  const row = push.next()
  let count = 0
  let ns: bigint | undefined
  let line: string | undefined
  let names = 0
  if (startsWith(cursor, 0x5b)) {
    yield* inSteps(push, cursor, elements(cursor), function* () {
      const i = count++
      if (i === 0 && isShort(cursor)) ns = timeOf(readJson(cursor))
      else if (i === 1) line = yield* readText(cursor)
      else if (i === 2) names = yield* readMetadata(push, cursor, row)
      else yield* passSteps(cursor)
    })
  } else yield* passSteps(cursor)
  if (count < 2) return 'expected an array of a time and a line'
  if (ns === undefined) return 'expected the time as a text of nanoseconds since 1970, of 64 bits'
  if (line === undefined) return 'the line is not a text'
  if (names > maxMetadata) return tooManyMetadata
  push.time.setTimestamp(row, ns)
  push.batch.setText(push.line, row, line)
  push.add()
  return undefined
}

function timeOf(value: ItemValue | undefined): bigint | undefined {
  const isText = typeof value === 'string' && /^[+-]?\d{1,40}$/.test(value)
  if (!isText && typeof value !== 'bigint') return undefined
  const ns = BigInt(value)
  return BigInt.asIntN(64, ns) === ns ? ns : undefined
}

/** Assigns the texts of an object to the row, unless there are too many; returns how many there are. */
function* readMetadata(push: Push, cursor: JsonCursor, row: number): Steps<number> {
  if (!startsWith(cursor, 0x7b)) {
    yield* passSteps(cursor)
    push.dropped.metadata++
    return 0
  }
  const texts = new Map<string, string>()
  yield* inSteps(push, cursor, members(cursor), function* (key) {
    const value = yield* readText(cursor)
    if (value === undefined) push.dropped.metadata++
    else if (texts.size <= maxMetadata) texts.set(key, value)
  })
  if (texts.size > 0 && texts.size <= maxMetadata) {
    push.batch.setText(push.metadata, row, writeJson(Object.assign(Object.create(null), Object.fromEntries(texts))))
  }
  return texts.size
}
