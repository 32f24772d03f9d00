// Builds traces from spans.
import { type ItemValue, parseJson, parseTimestamp, type Steps, type Table, utc } from '../../core/index.ts'
import { kindWord } from './names.ts'
import type { SpanRow } from './search.ts'
import { columnTag, objectTags, type Tag, textTag } from './tag.ts'

export interface Trace {
  readonly traceID: string
  readonly spans: readonly Span[]
  readonly processes: Readonly<Record<string, Process>>
  readonly warnings: null
}

interface Process {
  readonly serviceName: string
  readonly tags: readonly Tag[]
}

interface Reference {
  readonly refType: 'CHILD_OF' | 'FOLLOWS_FROM'
  readonly traceID: string
  readonly spanID: string
}

/** Times are microseconds. */
interface Span {
  readonly traceID: string
  readonly spanID: string
  readonly flags: number
  readonly operationName: string
  readonly references: readonly Reference[]
  readonly startTime: number
  readonly duration: number
  readonly tags: readonly Tag[]
  readonly logs: readonly { readonly timestamp: number; readonly fields: readonly Tag[] }[]
  readonly processID: string
  readonly warnings: null
}

/** Spans handled between two yields to other requests. */
const stepSpans = 64

/** In the order of the identifiers; traces without spans are left out. */
export function* tracesOf(table: Table, traceIds: readonly string[], rows: readonly SpanRow[]): Steps<Trace[]> {
  const byTrace = Map.groupBy(rows, row => row.get('trace_id'))
  const attributes = attributeReaders(table)
  const traces: Trace[] = []
  for (const traceID of traceIds) {
    const spans = byTrace.get(traceID)
    if (spans !== undefined) traces.push(yield* traceOf(traceID, spans, attributes))
  }
  return traces
}

function* traceOf(traceID: string, rows: readonly SpanRow[], attributes: Attributes): Steps<Trace> {
  const processes = new Map<string, { readonly id: string; readonly process: Process }>()
  const processId = (row: SpanRow): string => {
    const process = { serviceName: String(row.get('service_name') ?? ''), tags: attributes.resource(row) }
    const key = JSON.stringify(process)
    const known = processes.get(key)
    if (known !== undefined) return known.id
    const id = `p${processes.size + 1}`
    processes.set(key, { id, process })
    return id
  }
  const spans: Span[] = []
  for (const row of rows) {
    spans.push(spanOf(traceID, row, processId(row), attributes))
    if (spans.length % stepSpans === 0) yield
  }
  return {
    traceID,
    spans,
    processes: Object.fromEntries(Array.from(processes.values(), ({ id, process }) => [id, process])),
    warnings: null
  }
}

function spanOf(traceID: string, row: SpanRow, processID: string, attributes: Attributes): Span {
  return {
    traceID,
    spanID: textOf(row, 'span_id'),
    flags: 1,
    operationName: textOf(row, 'span_name'),
    references: referencesOf(traceID, row),
    startTime: micros(row.get('timestamp') as bigint),
    duration: micros((row.get('duration_nano') as bigint | undefined) ?? 0n),
    tags: [...attributes.span(row), ...shownTags(row), ...attributes.scope(row)],
    logs: logsOf(row),
    processID,
    warnings: null
  }
}

type ReadTags = (row: SpanRow) => Tag[]

interface Attributes {
  readonly span: ReadTags
  readonly scope: ReadTags
  readonly resource: ReadTags
}

function attributeReaders(table: Table): Attributes {
  const reader = (level: string, prefix: string): ReadTags => {
    const own = table.columns.filter(({ name }) => name.startsWith(`${level}.`))
    return row => [
      ...own.flatMap(({ name, type }) => {
        const value = row.get(name)
        return value === undefined ? [] : [columnTag(prefix + name.slice(level.length + 1), type, value)]
      }),
      ...objectTags(row.get(level), prefix)
    ]
  }
  return {
    span: reader('span_attributes', ''),
    scope: reader('scope_attributes', 'otel.scope.'),
    resource: reader('resource_attributes', '')
  }
}

/** Values with their own column that clients expect as tags. */
function shownTags(row: SpanRow): Tag[] {
  const kind = kindWord(textOf(row, 'span_kind'))
  const status = textOf(row, 'span_status_code').replace(/^STATUS_CODE_/, '')
  const texts = [
    ['span.kind', kind],
    ['otel.scope.name', textOf(row, 'scope_name')],
    ['otel.scope.version', textOf(row, 'scope_version')],
    ['w3c.tracestate', textOf(row, 'trace_state')],
    ['otel.status_code', status === 'UNSET' ? '' : status],
    ['otel.status_description', textOf(row, 'span_status_message')]
  ] as const
  const tags = texts.flatMap(([key, value]) => (value === '' ? [] : [textTag(key, value)]))
  return status === 'ERROR' ? [...tags, { key: 'error', type: 'bool', value: true }] : tags
}

type Member = { readonly [key: string]: ItemValue }

function referencesOf(traceID: string, row: SpanRow): Reference[] {
  const parent = textOf(row, 'parent_span_id')
  const links = members(row, 'span_links').map(
    ({ trace_id, span_id }) =>
      ({ refType: 'FOLLOWS_FROM', traceID: String(trace_id), spanID: String(span_id) }) as const
  )
  return parent === '' ? links : [{ refType: 'CHILD_OF', traceID, spanID: parent }, ...links]
}

function logsOf(row: SpanRow): Span['logs'] {
  return members(row, 'span_events').map(({ name, time, attributes }) => ({
    timestamp: micros(parseTimestamp(String(time), utc)),
    fields: [...(name ? [textTag('event', String(name))] : []), ...objectTags(attributes)]
  }))
}

function members(row: SpanRow, column: string): readonly Member[] {
  const json = row.get(column)
  if (typeof json !== 'string' || json === '[]') return []
  const list = parseJson(json)
  return Array.isArray(list) ? (list as readonly Member[]) : []
}

function textOf(row: SpanRow, column: string): string {
  const value = row.get(column)
  return value === undefined ? '' : String(value)
}

function micros(nanoseconds: bigint): number {
  return Number(nanoseconds / 1000n)
}
