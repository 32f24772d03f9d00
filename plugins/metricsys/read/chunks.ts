// The answer STREAMED_XOR_CHUNKS: frames of a length, a checksum and the chunks of one series.
import { ProtoWriter } from '../../../core/wire/index.ts'
import { crc32c } from './crc32c.ts'
import { writeLabels } from './samples.ts'
import type { ReadSeries } from './series.ts'
import { encodeXor } from './xor.ts'

const chunkSamples = 120
const xorType = 1
/** Bytes of chunks after which a series continues in a new frame. */
const frameBytes = 1_000_000

/** The frames of one series. */
export function* writeFrames({ labels, times, values }: ReadSeries, query: number): Generator<Uint8Array> {
  let chunks = new ProtoWriter()
  for (let from = 0; from < times.length; from += chunkSamples) {
    const to = Math.min(times.length, from + chunkSamples)
    const chunk = new ProtoWriter()
      .int64(1, times[from]!)
      .int64(2, times[to - 1]!)
      .uint(3, xorType)
    chunks.data(2, chunk.data(4, encodeXor(times, values, from, to)).bytes)
    if (chunks.length < frameBytes && to < times.length) continue
    const series = new ProtoWriter()
    writeLabels(series, labels)
    yield frame(new ProtoWriter().data(1, series.raw(chunks.bytes).bytes).uint(2, query).bytes)
    chunks = new ProtoWriter()
  }
}

function frame(data: Uint8Array): Uint8Array {
  const head = new ProtoWriter().varint(data.length)
  const sum = new Uint8Array(4)
  new DataView(sum.buffer).setUint32(0, crc32c(data))
  return head.raw(sum).raw(data).bytes
}
