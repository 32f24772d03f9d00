// Decodes the items of a request, log records or spans, and leaves out those that cannot be stored.
import type { Steps } from '../../../core/index.ts'
import { checkRepeated } from './expansion.ts'
import { type Outline, type OutlineLimits, outlineOf, tooLarge } from './outline.ts'

export interface Decoded<Batch> {
  readonly batch: Batch
  /** Number of items left out, and the reason. */
  readonly rejected: number
  readonly reason: string
}

/** Items by index that cannot be stored. */
interface Faults {
  readonly size: number
  has(i: number): boolean
}

interface ItemDecoder<Batch, F extends Faults> {
  /** The kind of item in messages: `span`. */
  readonly item: string
  create(outline: Outline): Batch
  /** Reads all items of the outline into the batch. */
  fill(batch: Batch, outline: Outline): Steps<F>
  reason(faults: F): string
}

/** Throws DbError `InvalidArguments` with the offset of invalid protobuf, and with status 413 for too many items. */
export function* decodeItems<Batch, F extends Faults>(
  body: Uint8Array,
  limits: OutlineLimits,
  { item, create, fill, reason }: ItemDecoder<Batch, F>
): Steps<Decoded<Batch>> {
  const outline = yield* outlineOf(body, limits)
  const { leftOut, largest } = outline
  const tooLong = leftOut === 0 ? '' : tooLarge(`a ${item}`, largest, limits.itemBytes!)
  checkRepeated(outline, body, `${item}s`)
  const batch = create(outline)
  const faults = yield* fill(batch, outline)
  if (faults.size === 0) return { batch, rejected: leftOut, reason: tooLong }
  // Faults are rare, so the other items are simply decoded again.
  const others = { ...outline, items: outline.items.without(faults) }
  const rest = create(others)
  yield* fill(rest, others)
  return { batch: rest, rejected: faults.size + leftOut, reason: tooLong || reason(faults) }
}
