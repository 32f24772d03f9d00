// Log records as items for a pipeline; each item includes its scope and resource.

import { ItemBatch, type ItemValue, type Steps, Timestamp } from '../../../core/index.ts'
import { ProtoReader } from '../../../core/wire/index.ts'
import type { Slices } from '../column/text-data.ts'
import { resource, scope } from '../wire/field.ts'
import { itemObjectSteps, itemValueSteps, NestedValues } from '../wire/item-value.ts'
import { stepBytes } from '../wire/outline.ts'
import { utf8 } from '../wire/utf8.ts'
import { scopeTexts } from './columns.ts'
import { record } from './field.ts'
import type { LogBatch } from './log-batch.ts'

/** Records handled between two yields to other requests. */
const stepRecords = 64

export function* itemsOf(logBatch: LogBatch, maxValues: number): Steps<ItemBatch> {
  const { body, outline, records, scopeOf, resourceOf } = logBatch
  const { scopes, scopeUrls, resources, resourceUrls, items } = outline
  const reader = new ProtoReader(body)
  const times = new BigInt64Array(logBatch.times.buffer)
  const text = ({ starts, ends }: Pick<Slices, 'starts' | 'ends'>, i: number) => utf8(body, starts[i]!, ends[i]!)
  const scopeNames = scopeTexts(body, scopes, scope.name)
  const scopeVersions = scopeTexts(body, scopes, scope.version)
  const perScope = memo(function* (i) {
    return {
      ScopeSchemaUrl: text(scopeUrls, i),
      ScopeName: text(scopeNames, i),
      ScopeVersion: text(scopeVersions, i),
      ScopeAttributes: yield* itemObjectSteps(
        reader,
        scopes.starts[i]!,
        scopes.ends[i]!,
        scope.attributes,
        new NestedValues(maxValues)
      )
    }
  })
  const perResource = memo(function* (i) {
    return {
      ResourceSchemaUrl: text(resourceUrls, i),
      ResourceAttributes: yield* itemObjectSteps(
        reader,
        resources.starts[i]!,
        resources.ends[i]!,
        resource.attributes,
        new NestedValues(maxValues)
      )
    }
  })
  const batch = new ItemBatch(records)
  for (let i = 0, step = 0; i < records; i++) {
    const values = new NestedValues(maxValues)
    const own = yield* readOwn(reader, items.starts[i]!, items.ends[i]!, values)
    const common = {
      SeverityText: text(logBatch.severityTexts, i),
      SeverityNumber: BigInt(logBatch.severityNumbers[i]!),
      TraceFlags: BigInt(logBatch.flags[i]!),
      LogAttributes: yield* itemObjectSteps(reader, items.starts[i]!, items.ends[i]!, record.attributes, values)
    }
    const item: Record<string, ItemValue> = {
      ...common,
      ...own,
      ...(yield* perScope(scopeOf[i]!)),
      ...(yield* perResource(resourceOf[i]!))
    }
    if (logBatch.hasEventNames) item['EventName'] = text(logBatch.eventNames, i)
    const row = batch.rows++
    batch.getOrCreateField('Timestamp').setTimestamp(row, times[i]!)
    for (const key in item) batch.set(batch.getOrCreateField(key), row, item[key])
    if (i % stepRecords !== stepRecords - 1 && items.ends[i]! - step < stepBytes) continue
    step = items.ends[i]!
    yield batch.memory
  }
  return batch
}

function* readOwn(
  reader: ProtoReader,
  start: number,
  end: number,
  values: NestedValues
): Steps<Record<string, ItemValue>> {
  const own: Record<string, ItemValue> = { TraceId: '', SpanId: '', Body: null }
  let observed = 0n
  reader.seek(start, end)
  while (reader.next()) {
    if (reader.field === record.traceId) own['TraceId'] = Buffer.from(reader.data()).toString('hex')
    else if (reader.field === record.spanId) own['SpanId'] = Buffer.from(reader.data()).toString('hex')
    else if (reader.field === record.observedTime) observed = reader.bits64()
    else if (reader.field === record.body) {
      const from = reader.pass()
      own['Body'] = yield* itemValueSteps(reader, from, reader.at, values)
    } else reader.skip()
  }
  if (observed > 0n) own['ObservedTimestamp'] = new Timestamp(observed)
  return own
}

function memo<T>(make: (i: number) => Steps<T>): (i: number) => Steps<T> {
  const known: T[] = []
  return function* (i) {
    const found = known[i] ?? (yield* make(i))
    known[i] = found
    return found
  }
}
