// The fixed columns of spans, in the order of the table.
import { type Column, type ColumnData, type ColumnType, parseColumnIndex, type Steps } from '../../../core/index.ts'
import { expanded } from '../column/expand.ts'
import { inSteps } from '../column/in-steps.ts'
import { dictionaryBytes, textData } from '../column/text-data.ts'
import type { Ranges } from '../wire/ranges.ts'
import { attributeData } from './attribute-data.ts'
import { kindNames, statusNames } from './field.ts'
import { eventsData, linksData } from './nested.ts'
import { type SpanBatch, serviceKey, type Texts } from './span-batch.ts'

const skipping = parseColumnIndex('skipping', {}, 'String')

/** The columns before the attributes. */
export function* headColumns(batch: SpanBatch): Steps<Column[]> {
  const { body, spans, scopeOf } = batch
  const services = yield* serviceData(batch)
  const text = (texts: Texts, owners: number) =>
    textData(body, { count: owners, starts: texts.starts, ends: texts.ends }, owners)
  const ofScope = (texts: Texts) => expanded(text(texts, texts.starts.length), scopeOf)
  const columns: (() => Column)[] = [
    () => ({ name: 'timestamp', type: 'TimestampNanosecond', semantic: 'timestamp', data: times(batch.starts) }),
    () => ({ name: 'timestamp_end', type: 'TimestampNanosecond', semantic: 'field', data: times(batch.ends) }),
    () => field('duration_nano', 'UInt64', { kind: 'fixed', values: new BigUint64Array(batch.durations.buffer) }),
    () => ({ ...field('parent_span_id', 'String', parents(batch)), index: skipping }),
    () => ({ ...field('trace_id', 'String', digits(batch.traceIds, 32, spans)), index: skipping }),
    () => field('span_id', 'String', digits(batch.spanIds, 16, spans)),
    () => field('span_kind', 'String', words(batch.kinds, kindNames)),
    () =>
      field('span_name', 'String', {
        kind: 'dictionary',
        codes: batch.names,
        dictionary: dictionaryBytes(batch.nameTexts, true)
      }),
    () => field('span_status_code', 'String', words(batch.statuses, statusNames)),
    () => field('span_status_message', 'String', text(batch.statusMessages, spans)),
    () => field('trace_state', 'String', text(batch.traceStates, spans)),
    () => field('scope_name', 'String', ofScope(batch.scopeNames)),
    () => field('scope_version', 'String', ofScope(batch.scopeVersions)),
    () => ({
      name: 'service_name',
      type: 'String',
      semantic: 'tag',
      data: expanded(services, batch.resourceOf),
      index: skipping
    })
  ]
  return yield* inSteps(columns)
}

/** The columns after the attributes; the last ones only if a span has their values. */
export function* tailColumns(batch: SpanBatch): Steps<Column[]> {
  const { body, spans, dropped, flags } = batch
  const numbers = (name: string, values: Uint32Array | undefined) =>
    values === undefined ? [] : [field(name, 'UInt32', { kind: 'fixed', values })]
  return [
    field('span_events', 'Json', yield* eventsData(body, batch.events, spans)),
    field('span_links', 'Json', yield* linksData(body, batch.links, spans)),
    ...numbers('span_flags', flags),
    ...numbers('dropped_attributes_count', dropped.attributes),
    ...numbers('dropped_events_count', dropped.events),
    ...numbers('dropped_links_count', dropped.links),
    ...urls('scope_schema_url', body, batch.scopeUrls, batch.scopeOf),
    ...urls('resource_schema_url', body, batch.resourceUrls, batch.resourceOf)
  ]
}

/** The service name of each resource; null if it has none. */
export function serviceData({ body, resourceAttributes, resourceUrls }: SpanBatch): Steps<ColumnData> {
  const column = resourceAttributes.columns.find(({ key }) => key === serviceKey)!
  return attributeData(body, column, 'String', resourceUrls.count)
}

function field(name: string, type: ColumnType, data: ColumnData): Column {
  return { name, type, semantic: 'field', data }
}

function times({ buffer }: Int32Array<ArrayBuffer>): ColumnData {
  return { kind: 'fixed', values: new BigInt64Array(buffer) }
}

function digits(bytes: Uint8Array, each: number, spans: number): ColumnData {
  const offsets = new Uint32Array(spans + 1)
  for (let i = 1; i <= spans; i++) offsets[i] = i * each
  return { kind: 'bytes', offsets, bytes }
}

function parents({ parentIds, parentOffsets, hasParent, spans }: SpanBatch): ColumnData {
  return {
    kind: 'bytes',
    offsets: parentOffsets,
    bytes: parentIds.subarray(0, parentOffsets[spans]!),
    valid: hasParent
  }
}

function words(codes: Uint32Array, texts: readonly string[]): ColumnData {
  const offsets = Uint32Array.of(0, ...texts.map((_, i) => texts.slice(0, i + 1).join('').length))
  return { kind: 'dictionary', codes, dictionary: { kind: 'bytes', offsets, bytes: Buffer.from(texts.join('')) } }
}

function urls(name: string, body: Uint8Array, { count, starts, ends }: Ranges, of: Uint32Array): Column[] {
  const used = starts.some((start, i) => i < count && start < ends[i]!)
  return used ? [field(name, 'String', expanded(textData(body, { count, starts, ends }, count), of))] : []
}
