// One sample of a series into the frame: the bits of its number and of its time, as 32-bit words.
import { DbError, ProtoReader } from '../../../../core/wire/index.ts'
import type { Frame } from './frame.ts'

const valueField = 1
const timeField = 2
/** Milliseconds; microseconds of later times do not fit 64 bits. */
const maxTime = 2n ** 53n
const farthestHigh = 2 ** 21

/**
 * Reads the sample whose content is `bytes[start … end]`. Value and time in this order and both there, as all senders write it, is
 * read here; anything else goes the long way.
 */
export function readSample(frame: Frame, reader: ProtoReader, start: number, end: number): void {
  const { bytes, view } = reader
  if (end - start < 11 || bytes[start] !== 0x09 || bytes[start + 9] !== 0x10) {
    readSlowly(frame, reader, start, end)
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
    frame.addSample(view.getInt32(start + 1, true), view.getInt32(start + 5, true), low, high)
    return
  }
  readSlowly(frame, reader, start, end)
}

/** Fields in any order, repeated or left out. */
function readSlowly(frame: Frame, reader: ProtoReader, start: number, end: number): void {
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
  frame.addSample(valueLow, valueHigh, timeLow, timeHigh)
}

/** Throws DbError `InvalidArguments` for a time that no query could read. */
export function checkTime(time: bigint): void {
  if (time >= -maxTime && time < maxTime) return
  throw new DbError('InvalidArguments', `the time ${time} of a sample is not within ${maxTime} milliseconds of 1970`)
}

function wordsOf(value: bigint): [number, number] {
  return [Number(BigInt.asIntN(32, value)), Number(BigInt.asIntN(32, value >> 32n))]
}
