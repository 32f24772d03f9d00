// The log records of a request as columns. Scopes and resources are byte ranges of the request.
import { TextBuilder } from '../column/text-builder.ts'
import type { Outline } from '../wire/outline.ts'

/** One byte range of the body per record. */
export interface TextSlices {
  readonly starts: Uint32Array
  readonly ends: Uint32Array
}

/** Arrays have one entry per record. */
export interface LogBatch {
  readonly body: Uint8Array
  readonly outline: Outline
  readonly records: number
  /** Nanoseconds since 1970 as words of 64 bits, the low one first. */
  readonly times: Int32Array<ArrayBuffer>
  readonly traceIds: TextBuilder
  readonly spanIds: TextBuilder
  readonly severityTexts: TextSlices
  readonly severityNumbers: Int32Array
  readonly bodies: TextBuilder
  /** 1 for records that have a body. */
  readonly hasBody: Uint8Array
  readonly attributes: TextBuilder
  readonly flags: Uint32Array
  readonly eventNames: TextSlices
  /** Whether any record has an event name. */
  hasEventNames: boolean
  /** The scope entry of each record, and its resource entry. */
  readonly scopeOf: Uint32Array
  readonly resourceOf: Uint32Array
}

const slices = (records: number): TextSlices => ({
  starts: new Uint32Array(records),
  ends: new Uint32Array(records)
})

/** An empty batch with memory for all records of the outline. */
export function createLogBatch(body: Uint8Array, outline: Outline): LogBatch {
  const { items, scopes } = outline
  const records = items.count
  const scopeOf = items.owners.slice(0, records)
  return {
    body,
    outline,
    records,
    times: new Int32Array(records * 2),
    traceIds: new TextBuilder(records, records * 32),
    spanIds: new TextBuilder(records, records * 16),
    severityTexts: slices(records),
    severityNumbers: new Int32Array(records),
    bodies: new TextBuilder(records, body.length >> 1),
    hasBody: new Uint8Array(records),
    attributes: new TextBuilder(records, body.length),
    flags: new Uint32Array(records),
    eventNames: slices(records),
    hasEventNames: false,
    scopeOf,
    resourceOf: scopeOf.map(entry => scopes.owners[entry]!)
  }
}
