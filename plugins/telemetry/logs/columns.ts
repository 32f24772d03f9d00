// The columns every log record has, in the order of the table.

import {
  type BytesData,
  bitmap,
  type Column,
  type ColumnData,
  type ColumnType,
  parseColumnIndex,
  type Steps
} from '../../../core/index.ts'
import { ProtoReader } from '../../../core/wire/index.ts'
import { expanded } from '../column/expand.ts'
import { inSteps } from '../column/in-steps.ts'
import { TextBuilder } from '../column/text-builder.ts'
import { type Slices, textData } from '../column/text-data.ts'
import { resource, scope } from '../wire/field.ts'
import { findField } from '../wire/find-field.ts'
import { JsonText } from '../wire/json-text.ts'
import type { Ranges } from '../wire/ranges.ts'
import type { LogBatch, TextSlices } from './log-batch.ts'

const fulltext = parseColumnIndex('fulltext', {}, 'String')
const skipping = parseColumnIndex('skipping', {}, 'String')

const timeColumn = 'timestamp'

/** Throws DbError `InvalidArguments` for texts that are not valid UTF-8. */
export function* logColumns(logBatch: LogBatch): Steps<Column[]> {
  const { records, outline, scopeOf, resourceOf, body } = logBatch
  const { scopes, scopeUrls, resources, resourceUrls } = outline
  const text = ({ starts, ends }: TextSlices) => textData(body, { count: records, starts, ends }, records)
  const of = ({ count, starts, ends }: Slices, owners: Uint32Array) =>
    expanded(textData(body, { count, starts, ends }, count), owners)
  const scopeAttributes = yield* attributesData(body, scopes, scope.attributes)
  const resourceAttributes = yield* attributesData(body, resources, resource.attributes)
  const columns: (() => Column)[] = [
    () => ({
      name: timeColumn,
      type: 'TimestampNanosecond',
      semantic: 'timestamp',
      data: { kind: 'fixed', values: new BigInt64Array(logBatch.times.buffer) }
    }),
    () => ({ ...field('trace_id', 'String', logBatch.traceIds.data), index: skipping }),
    () => field('span_id', 'String', logBatch.spanIds.data),
    () => field('severity_text', 'String', text(logBatch.severityTexts)),
    () => field('severity_number', 'Int32', { kind: 'fixed', values: logBatch.severityNumbers }),
    () => ({ ...field('body', 'String', bodyData(logBatch)), index: fulltext }),
    () => field('log_attributes', 'Json', logBatch.attributes.data),
    () => field('trace_flags', 'UInt32', { kind: 'fixed', values: logBatch.flags }),
    () => ({ ...field('scope_name', 'String', of(scopeTexts(body, scopes, scope.name), scopeOf)), semantic: 'tag' }),
    () => field('scope_version', 'String', of(scopeTexts(body, scopes, scope.version), scopeOf)),
    () => field('scope_attributes', 'Json', expanded(scopeAttributes, scopeOf)),
    () => field('scope_schema_url', 'String', of(scopeUrls, scopeOf)),
    () => field('resource_attributes', 'Json', expanded(resourceAttributes, resourceOf)),
    () => field('resource_schema_url', 'String', of(resourceUrls, resourceOf))
  ]
  if (logBatch.hasEventNames) columns.push(() => field('event_name', 'String', text(logBatch.eventNames)))
  return yield* inSteps(columns)
}

function field(name: string, type: ColumnType, data: ColumnData): Column {
  return { name, type, semantic: 'field', data }
}

function bodyData({ bodies, hasBody, records }: LogBatch): BytesData {
  const { data } = bodies
  if (!hasBody.includes(0)) return data
  const valid = bitmap(records, false)
  for (let i = 0; i < records; i++) if (hasBody[i] === 1) valid[i >> 3]! |= 1 << (i & 7)
  return { ...data, valid }
}

/** The byte range of one text per scope. */
export function scopeTexts(body: Uint8Array, { count, starts, ends }: Ranges, wanted: number): Slices {
  const reader = new ProtoReader(body)
  const found = { count, starts: new Uint32Array(count), ends: new Uint32Array(count) }
  for (let i = 0; i < count; i++) {
    reader.seek(starts[i]!, ends[i]!)
    while (findField(reader, wanted)) {
      found.starts[i] = reader.pass()
      found.ends[i] = reader.at
    }
  }
  return found
}

/** The attributes of each scope or resource as a JSON column. */
function* attributesData(body: Uint8Array, { count, starts, ends }: Ranges, field: number): Steps<BytesData> {
  const texts = new TextBuilder(count, 256 * count)
  const json = new JsonText(texts.bytes)
  const reader = new ProtoReader(body)
  for (let i = 0; i < count; i++) {
    json.members(reader, starts[i]!, ends[i]!, field)
    texts.end()
    yield
  }
  return texts.data
}
