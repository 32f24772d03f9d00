// Decodes `ExportTraceServiceRequest` in two passes: the first finds the spans, the second reads them.

import { endsStep, type Steps } from '../../../core/index.ts'
import { ProtoReader } from '../../../core/wire/index.ts'
import { type Decoded, decodeItems } from '../wire/decode-items.ts'
import { resource, scope } from '../wire/field.ts'
import { type Outline, type OutlineLimits, stepBytes } from '../wire/outline.ts'
import { readSpan } from './read-span.ts'
import { createSpanBatch, type SpanBatch } from './span-batch.ts'

/** Spans handled between two yields to other requests. */
const stepSpans = 64

/**
 * Throws DbError `InvalidArguments` with the offset of invalid protobuf, and with status 413 for too many spans; up to `maxKeys` attribute
 * keys per level are distinguished.
 */
export function decodeSpans(body: Uint8Array, maxKeys: number, limits: OutlineLimits = {}): Steps<Decoded<SpanBatch>> {
  return decodeItems(body, limits, {
    item: 'span',
    create: outline => createSpanBatch(body, outline, maxKeys),
    fill,
    reason: ([first]) => `span ${first![0]}: ${first![1]}`
  })
}

/** Returns the invalid spans and the reasons. */
function* fill(batch: SpanBatch, { resources, scopes, items: spans }: Outline): Steps<ReadonlyMap<number, string>> {
  const reader = new ProtoReader(batch.body)
  for (let i = 0; i < resources.count; i++) {
    if (endsStep(i, stepSpans)) yield
    reader.seek(resources.starts[i]!, resources.ends[i]!)
    while (reader.next()) {
      if (reader.field === resource.attributes) batch.resourceAttributes.read(reader, i)
      else reader.skip()
    }
  }
  for (let i = 0; i < scopes.count; i++) {
    if (endsStep(i, stepSpans)) yield
    reader.seek(scopes.starts[i]!, scopes.ends[i]!)
    readScope(batch, reader, i)
  }
  const faults = new Map<number, string>()
  for (let i = 0, step = 0; i < spans.count; i++) {
    if (endsStep(i, stepSpans) || spans.ends[i]! - step > stepBytes) {
      step = spans.ends[i]!
      yield
    }
    reader.seek(spans.starts[i]!, spans.ends[i]!)
    const fault = readSpan(batch, reader, i)
    if (fault !== undefined) faults.set(i, fault)
  }
  return faults
}

function readScope({ scopeNames, scopeVersions, scopeAttributes }: SpanBatch, reader: ProtoReader, i: number): void {
  while (reader.next()) {
    if (reader.field === scope.name) scopeNames.read(reader, i)
    else if (reader.field === scope.version) scopeVersions.read(reader, i)
    else if (reader.field === scope.attributes) scopeAttributes.read(reader, i)
    else reader.skip()
  }
}
