// Decodes a push request in protobuf, keeping lines as ranges, without an object per entry.

import { isUtf8 } from 'node:buffer'
import { endsStep, free, maxSeconds, type Steps } from '../../../core/index.ts'
import { decodeSnappySteps, ProtoReader, snappyLength, snappySlack, wireType } from '../../../core/wire/index.ts'
import { parseLabels } from './labels.ts'
import { MetadataWriter } from './metadata.ts'
import { maxMetadata, Push, tooManyMetadata } from './push.ts'

const request = { streams: 1 } as const
const stream = { labels: 1, entries: 2 } as const
const entry = { timestamp: 1, line: 2, metadata: 3 } as const

/** Streams or fields of them, and bytes of them, of one step. */
const stepFields = 64
const stepBytes = 1 << 16

interface Decoding {
  readonly push: Push
  /** One reader for all messages: `end` of an inner message is checked against the outer one. */
  readonly reader: ProtoReader
  readonly metadata: MetadataWriter
  /** Nanoseconds since 1970; the time of entries without one. */
  readonly now: bigint
}

/** Decompresses the Snappy block and decodes the request. Throws DbError `InvalidArguments` if either is invalid. */
export function* decodeProtobuf(block: Uint8Array, now: bigint, maxBytes?: number): Steps<Push> {
  const length = snappyLength(block)
  const bytes = new Uint8Array(length + snappySlack)
  let isDone = false
  try {
    yield* decodeSnappySteps(block, bytes)
    const push = yield* readRequest(bytes.subarray(0, length), now, maxBytes)
    isDone = true
    return push
  } finally {
    // Many requests that are refused would fill the memory before the garbage collector sees to them.
    if (!isDone) free(bytes)
  }
}

/** Decodes a request that is not compressed. */
export function* readRequest(bytes: Uint8Array, now: bigint, maxBytes?: number): Steps<Push> {
  const push = new Push(bytes, maxBytes)
  const reader = new ProtoReader(bytes)
  const decoding = { push, reader, metadata: new MetadataWriter(push, bytes), now }
  for (let i = 0; reader.next(); i++) {
    if (reader.field === request.streams) yield* readStream(decoding, enter(reader, bytes.length))
    else reader.skip()
    if (endsStep(i, stepFields)) yield push.memory
  }
  yield* decoding.metadata.finish()
  return push
}

/** Enters the message in the field; returns its end. */
function enter(reader: ProtoReader, outer: number): number {
  reader.expect(wireType.bytes)
  const end = reader.uint() + reader.at
  if (end > outer) throw reader.error(`field ${reader.field} goes beyond its message`)
  return end
}

function leave(reader: ProtoReader, end: number): void {
  if (reader.at !== end) throw reader.error('a field goes beyond its message')
}

function* readStream(decoding: Decoding, end: number): Steps<void> {
  const { push, reader } = decoding
  const first = push.batch.rows
  let labels: Uint8Array = new Uint8Array()
  let step = reader.at
  for (let i = 0; reader.at < end && reader.next(); i++) {
    if (reader.field === stream.entries) readEntry(decoding, enter(reader, end))
    else if (reader.field === stream.labels) labels = readData(reader)
    else reader.skip()
    if (!endsStep(i, stepFields) && reader.at - step < stepBytes) continue
    step = reader.at
    yield push.memory
  }
  leave(reader, end)
  if (push.batch.rows === first) return
  push.checkLabelBytes(labels.length <= push.maxBytes)
  const parsed = parseLabels(textOf(push, labels))
  if (parsed === undefined) push.dropped.label++
  push.addStream(parsed ?? new Map(), first)
}

function readEntry(decoding: Decoding, end: number): void {
  const { push, reader, metadata, now } = decoding
  if (push.isLarge(end - reader.at)) {
    reader.at = end
    push.skipLarge()
    return
  }
  const row = push.next()
  let timed: 'no' | 'yes' | 'wrong' = 'no'
  push.line.setRange(row, 0, 0)
  metadata.begin()
  while (reader.at < end && reader.next()) {
    if (reader.field === entry.timestamp) timed = readTime(push, reader, row, enter(reader, end)) ? 'yes' : 'wrong'
    else if (reader.field === entry.line) {
      reader.expect(wireType.bytes)
      const start = reader.pass()
      setLine(push, reader, row, start, reader.at)
    } else if (reader.field === entry.metadata) metadata.read(reader, enter(reader, end))
    else reader.skip()
    if (metadata.count <= maxMetadata) continue
    reader.at = end
    push.skip(tooManyMetadata)
    return
  }
  leave(reader, end)
  if (timed === 'wrong') {
    push.skip('the time is beyond 64 bits of nanoseconds')
    return
  }
  if (timed === 'no') push.time.setTimestamp(row, now)
  metadata.end(row)
  push.add()
}

/** False if the time does not fit 64 bits. */
function readTime(push: Push, reader: ProtoReader, row: number, end: number): boolean {
  let seconds = 0
  let nanoseconds = 0
  let exact: bigint | undefined
  while (reader.at < end && reader.next()) {
    reader.expect(wireType.varint)
    const at = reader.at
    const value = reader.uint()
    if (reader.field === 1) seconds = value
    else if (reader.field === 2) nanoseconds = value
    if (value > Number.MAX_SAFE_INTEGER) {
      reader.at = at
      const long = reader.int64()
      exact = (exact ?? 0n) + (reader.field === 1 ? long * 1_000_000_000n : reader.field === 2 ? long : 0n)
      if (reader.field === 1) seconds = 0
      else if (reader.field === 2) nanoseconds = 0
    }
  }
  leave(reader, end)
  if (exact === undefined && seconds <= maxSeconds && nanoseconds < 1e9) {
    push.time.setTime(row, seconds, nanoseconds)
    return true
  }
  const ns = (exact ?? 0n) + BigInt(seconds) * 1_000_000_000n + BigInt(nanoseconds)
  push.time.setTimestamp(row, BigInt.asIntN(64, ns))
  return BigInt.asIntN(64, ns) === ns
}

/** The line is not copied; invalid UTF-8 is replaced. */
function setLine(push: Push, { bytes, view }: ProtoReader, row: number, start: number, end: number): void {
  let high = 0
  let at = start
  for (; at + 4 <= end; at += 4) high |= view.getInt32(at)
  for (; at < end; at++) high |= bytes[at]!
  const isAscii = (high & 0x80808080) === 0
  if (isAscii || isUtf8(bytes.subarray(start, end))) push.line.setRange(row, start, end)
  else {
    push.dropped.utf8++
    push.batch.setText(push.line, row, Buffer.from(bytes.subarray(start, end)).toString())
  }
}

function readData(reader: ProtoReader): Uint8Array {
  reader.expect(wireType.bytes)
  return reader.data()
}

function textOf(push: Push, data: Uint8Array): string {
  if (!isUtf8(data)) push.dropped.utf8++
  return Buffer.from(data).toString()
}
