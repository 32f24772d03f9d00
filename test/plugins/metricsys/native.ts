// Native histograms as remote write sends them.
import { ProtoWriter } from '../../../core/wire/index.ts'
import { staleBits } from './messages.ts'

export interface Shape {
  readonly schema?: number
  readonly count?: number
  readonly sum?: number | 'stale'
  readonly zero?: number
  readonly spans?: readonly (readonly [offset: number, length: number])[]
  readonly deltas?: readonly number[]
  readonly negative?: readonly number[]
  readonly custom?: readonly number[]
  readonly time?: number
}

const spanOf = ([offset, length]: readonly [number, number]) =>
  new ProtoWriter().sint64(1, BigInt(offset)).uint(2, length).bytes

function packed(deltas: readonly number[]): Uint8Array {
  const out = new ProtoWriter()
  for (const delta of deltas) out.varint(delta < 0 ? -delta * 2 - 1 : delta * 2)
  return out.bytes
}

/** Integer counts: buckets of 1, 3 and 2 observations and 4 around zero unless the shape says otherwise. */
export function integers({
  schema = 3,
  count = 10,
  sum = 12.5,
  zero = 4,
  spans = [
    [0, 2],
    [1, 1]
  ],
  deltas = [1, 2, -1],
  negative = [],
  custom = [],
  time = 1000
}: Shape = {}) {
  const out = new ProtoWriter().uint(1, count)
  if (sum === 'stale') out.bits64(3, Number(BigInt.asIntN(32, staleBits)), Number(staleBits >> 32n))
  else out.double(3, sum)
  out.sint64(4, BigInt(schema)).uint(6, zero)
  if (custom.length === 0) out.double(5, 0.001)
  if (negative.length > 0) out.data(8, spanOf([0, negative.length])).data(9, packed(negative))
  for (const span of spans) out.data(11, spanOf(span))
  out.data(12, packed(deltas)).uint(14, 2).int64(15, BigInt(time))
  for (const bound of custom) out.double(16, bound)
  return out.bytes
}

export function floats(): Uint8Array {
  const counts = new ProtoWriter()
  for (const each of [1.5, 0.25]) counts.rawDouble(each)
  const out = new ProtoWriter().double(2, 2.75).double(3, -0.5).sint64(4, -4n).double(5, 0.5).double(7, 1)
  return out
    .data(11, spanOf([-3, 2]))
    .data(13, counts.bytes)
    .uint(14, 3)
    .int64(15, 2000n).bytes
}
