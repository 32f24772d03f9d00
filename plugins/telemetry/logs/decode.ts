// `ExportLogsServiceRequest` into a LogBatch: one pass over each record.

import { endsStep, type Steps } from '../../../core/index.ts'
import { ProtoReader, wireType } from '../../../core/wire/index.ts'
import { AnyValue } from '../wire/any-value.ts'
import { type Decoded, decodeItems } from '../wire/decode-items.ts'
import { anyValue } from '../wire/field.ts'
import { JsonText } from '../wire/json-text.ts'
import { type OutlineLimits, stepBytes } from '../wire/outline.ts'
import { record } from './field.ts'
import { createLogBatch, type LogBatch, type TextSlices } from './log-batch.ts'

/** Records handled between two yields to other requests. */
const stepRecords = 64

/**
 * `now` in nanoseconds since 1970 for records that have no time of their own. Throws DbError `InvalidArguments` with the offset of invalid
 * protobuf, and with status 413 for too many records.
 */
export function decodeLogs(body: Uint8Array, now: bigint, limits: OutlineLimits = {}): Steps<Decoded<LogBatch>> {
  return decodeItems(body, limits, {
    item: 'log record',
    create: outline => createLogBatch(body, outline),
    fill: batch => fill(batch, now),
    reason: far => `the times of ${far.size} log records are after the year 2262`
  })
}

/** Reads all records; returns the indices of those whose time does not fit a signed 64-bit integer. */
function* fill(logBatch: LogBatch, now: bigint): Steps<ReadonlySet<number>> {
  const { starts, ends } = logBatch.outline.items
  const { times, records } = logBatch
  const reader = new ProtoReader(logBatch.body)
  const attributes = new JsonText(logBatch.attributes.bytes)
  const bodies = new JsonText(logBatch.bodies.bytes)
  const value = new AnyValue()
  const nowLow = Number(BigInt.asIntN(32, now))
  const nowHigh = Number(BigInt.asIntN(32, now >> 32n))
  const far = new Set<number>()
  for (let i = 0, step = 0; i < records; i++) {
    if (endsStep(i, stepRecords) || ends[i]! - step > stepBytes) {
      step = ends[i]!
      yield
    }
    reader.seek(starts[i]!, ends[i]!)
    readRecord(logBatch, reader, i, attributes, bodies, value)
    if (times[2 * i + 1]! < 0) far.add(i)
    if (times[2 * i] === 0 && times[2 * i + 1] === 0) {
      times[2 * i] = nowLow
      times[2 * i + 1] = nowHigh
    }
    logBatch.traceIds.end()
    logBatch.spanIds.end()
    logBatch.bodies.end()
    logBatch.attributes.end()
  }
  return far
}

/** Reads a record; of repeated fields the last counts. */
function readRecord(
  logBatch: LogBatch,
  reader: ProtoReader,
  i: number,
  attributes: JsonText,
  bodies: JsonText,
  value: AnyValue
): void {
  const { out } = attributes
  const bodyAt = bodies.out.length
  const traceAt = logBatch.traceIds.bytes.length
  const spanAt = logBatch.spanIds.bytes.length
  let separator = 0x7b
  let hasTime = false
  while (reader.next()) {
    switch (reader.field) {
      case record.time:
        hasTime = readTime(logBatch, reader, i) || hasTime
        break
      case record.observedTime:
        if (hasTime) reader.skip()
        else readTime(logBatch, reader, i)
        break
      case record.severityNumber:
        reader.expect(wireType.varint)
        logBatch.severityNumbers[i] = reader.uint()
        break
      case record.severityText:
        readSlice(logBatch.severityTexts, reader, i)
        break
      case record.body:
        bodies.out.length = bodyAt
        readBody(logBatch, reader, i, bodies, value)
        break
      case record.attributes:
        out.put(separator)
        separator = 0x2c
        attributes.member(reader)
        break
      case record.flags: {
        reader.expect(wireType.fixed32)
        const { at } = reader
        reader.skip()
        logBatch.flags[i] = reader.view.getUint32(at, true)
        break
      }
      case record.traceId:
        logBatch.traceIds.bytes.length = traceAt
        readHex(logBatch.traceIds.bytes, reader)
        break
      case record.spanId:
        logBatch.spanIds.bytes.length = spanAt
        readHex(logBatch.spanIds.bytes, reader)
        break
      case record.eventName:
        readSlice(logBatch.eventNames, reader, i)
        logBatch.hasEventNames ||= logBatch.eventNames.ends[i]! > logBatch.eventNames.starts[i]!
        break
      default:
        reader.skip()
    }
  }
  if (separator === 0x7b) out.put(separator)
  out.put(0x7d)
}

/** Reads a time; false for 0, which means unknown. */
function readTime({ times }: LogBatch, reader: ProtoReader, i: number): boolean {
  reader.expect(wireType.fixed64)
  const { at, view } = reader
  reader.skip()
  const low = view.getInt32(at, true)
  const high = view.getInt32(at + 4, true)
  if (low === 0 && high === 0) return false
  times[2 * i] = low
  times[2 * i + 1] = high
  return true
}

/** Reads the body: a string as it is, any other value as JSON. */
function readBody(logBatch: LogBatch, reader: ProtoReader, i: number, bodies: JsonText, value: AnyValue): void {
  const start = reader.pass()
  value.read(reader, start, reader.at)
  logBatch.hasBody[i] = value.kind === anyValue.none ? 0 : 1
  if (value.kind === anyValue.text) bodies.out.copyText(reader.bytes, value.start, value.end)
  else if (value.kind !== anyValue.none) bodies.value(reader, start, reader.at)
}

function readSlice({ starts, ends }: TextSlices, reader: ProtoReader, i: number): void {
  starts[i] = reader.pass()
  ends[i] = reader.at
}

function readHex(out: LogBatch['traceIds']['bytes'], reader: ProtoReader): void {
  const start = reader.pass()
  out.hex(reader.bytes, start, reader.at)
}
