// One sample of a series into the buffer: the bits of its number and of its time, as 32-bit words.
import { DbError, ProtoReader } from '../../../../core/wire/index.ts'
import type { DecodeBuffer } from './decode-buffer.ts'

const valueField = 1
const timeField = 2
/** Largest time in milliseconds: later times in microseconds do not fit into 64 bits. */
const maxTime = 2n ** 53n
const farthestHigh = 2 ** 21

/**
 * Reads the sample whose content is `bytes[start … end]`. Value and time in this order and both there, as all senders write it, is
 * read here; any other order goes through `readSlowly`.
 */
export function readSample(buffer: DecodeBuffer, reader: ProtoReader, start: number, end: number): void {
  const { bytes, view } = reader
  if (end - start < 11 || bytes[start] !== 0x09 || bytes[start + 9] !== 0x10) {
    readSlowly(buffer, reader, start, end)
    return
  }
  let low = 0
  let high = 0
  let at = start + 10
  for (let shift = 0; at < end && shift < 63; shift += 7) {
    const byte = bytes[at++]!
    const part = byte & 127
    if (shift < 28) low |= part << shift
    else if (shift === 28) {
      low |= part << 28
      high = part >>> 4
    } else high |= part << (shift - 32)
    if (byte > 127) continue
    if (at !== end || high >= farthestHigh) break
    buffer.addSample(view.getInt32(start + 1, true), view.getInt32(start + 5, true), low, high)
    return
  }
  readSlowly(buffer, reader, start, end)
}

/** Reads fields in any order, repeated or absent. */
function readSlowly(buffer: DecodeBuffer, reader: ProtoReader, start: number, end: number): void {
  const sample = new ProtoReader(reader.bytes, start, end)
  let value = 0n
  let time = 0n
  while (sample.next()) {
    if (sample.field === valueField) {
      sample.expect(1)
      value = sample.bits64()
    } else if (sample.field === timeField) {
      sample.expect(0)
      time = sample.int64()
    } else sample.skip()
  }
  checkTime(time)
  const [valueLow, valueHigh] = wordsOf(value)
  const [timeLow, timeHigh] = wordsOf(time)
  buffer.addSample(valueLow, valueHigh, timeLow, timeHigh)
}

/** Throws DbError `InvalidArguments` for a time that no query could read. */
export function checkTime(time: bigint): void {
  if (time >= -maxTime && time < maxTime) return
  throw new DbError('InvalidArguments', `the time ${time} of a sample is not within ${maxTime} milliseconds of 1970`)
}

function wordsOf(value: bigint): [number, number] {
  return [Number(BigInt.asIntN(32, value)), Number(BigInt.asIntN(32, value >> 32n))]
}
