import t from 'tap'
import { isValid, runAtOnce, type TableWrite } from '../../../../core/index.ts'
import { logColumns } from '../../../../plugins/telemetry/logs/columns.ts'
import { decodeLogs } from '../../../../plugins/telemetry/logs/decode.ts'
import { protobufOf } from '../../../../plugins/telemetry/wire/from-json.ts'
import { requests } from '../../../../plugins/telemetry/wire/message.ts'
import { createRandom, type Random } from '../../../fuzz/random.ts'
import { type Attributes, exportRequest, jsonAttributes, type Value } from '../proto.ts'
import { record, recordJson, type TestRecord } from './messages.ts'

const now = 1_700_000_000_000_000_000n
const values: readonly Value[] = [
  ...['', 'text', 'é"\\\n\u0001', true, 0n, 2n ** 63n - 1n, -(2n ** 63n), 0.5, 1, Number.NaN],
  ...[Buffer.from([0, 255]), [], ['a', [1n]], {}, { k: { l: null } }, 'x'.repeat(300)]
]
const attributesOf = (random: Random): Attributes =>
  Object.fromEntries(['a', 'b.c', 'ü"'].filter(() => random.once(2)).map(key => [key, random.pick(values)]))

function makeRecord(random: Random): TestRecord {
  const some = <T>(value: T) => (random.once(2) ? value : undefined)
  const made = {
    time: some(now + BigInt(random.below(1e9))),
    observed: some(now + 1n),
    severityNumber: some(random.below(25)),
    severityText: some(random.pick(['INFO', 'wärn'])),
    body: some(random.pick(values)),
    attributes: some(attributesOf(random)),
    flags: some(random.below(2 ** 32)),
    traceId: some('0af7651916cd43dd8448eb211c80319c'),
    spanId: some('b7ad6b7169203331'),
    eventName: some('e')
  }
  return Object.fromEntries(Object.entries(made).filter(([, value]) => value !== undefined)) as TestRecord
}

/** What a JSON column holds; an integer is a bigint's digits, a double has a fraction. */
function jsonOf(value: Value): string {
  if (value === null || typeof value === 'boolean' || typeof value === 'bigint') return String(value)
  if (typeof value === 'string') return JSON.stringify(value)
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) return `"${value}"`
    return Number.isInteger(value) ? `${value}.0` : String(value)
  }
  if (Buffer.isBuffer(value)) return `"${value.toString('base64')}"`
  if (Array.isArray(value)) return `[${value.map(jsonOf).join()}]`
  return attributesJson(value as Attributes)
}

function attributesJson(attributes: Attributes): string {
  return `{${Object.entries(attributes)
    .map(([key, value]) => `${JSON.stringify(key)}:${jsonOf(value)}`)
    .join()}}`
}

/** The row a record stands for. */
function rowOf(log: TestRecord, resource: Attributes, scope: Attributes): Record<string, unknown> {
  const { time = log.observed ?? now + 5n, body = null } = log
  return {
    timestamp: time,
    trace_id: log.traceId ?? '',
    span_id: log.spanId ?? '',
    severity_text: log.severityText ?? '',
    severity_number: log.severityNumber ?? 0,
    body: body === null ? null : typeof body === 'string' ? body : jsonOf(body),
    log_attributes: attributesJson(log.attributes ?? {}),
    trace_flags: log.flags ?? 0,
    scope_name: 'lib',
    scope_version: '1',
    scope_attributes: attributesJson(scope),
    scope_schema_url: 'u',
    resource_attributes: attributesJson(resource),
    resource_schema_url: ''
  }
}

function cell({ data }: TableWrite['columns'][number], row: number): unknown {
  if (!isValid(data.valid, row)) return null
  if (data.kind === 'fixed') return data.values[row]
  const { offsets, bytes } = data.kind === 'bytes' ? data : data.dictionary
  const at = data.kind === 'bytes' ? row : data.codes[row]!
  return Buffer.from(bytes.subarray(offsets[at], offsets[at + 1])).toString()
}

const show = (value: unknown) => JSON.stringify(value, (_, each) => (typeof each === 'bigint' ? `${each}n` : each))

t.test('records of every shape are read as what they stand for, in both encodings', async t => {
  const random = createRandom(7)
  let rows = 0
  for (let run = 0; run < 300; run++) {
    const resource = attributesOf(random)
    const scope = attributesOf(random)
    const logs = Array.from({ length: random.below(40) }, () => makeRecord(random))
    const entry = { resource, scope: { name: 'lib', version: '1', attributes: scope }, scopeUrl: 'u' }
    const protobuf = exportRequest([{ ...entry, items: logs.map(record) }])
    const scopeLogs = {
      scope: { name: 'lib', version: '1', attributes: jsonAttributes(scope) },
      logRecords: logs.map(recordJson),
      schemaUrl: 'u'
    }
    const json = { resourceLogs: [{ resource: { attributes: jsonAttributes(resource) }, scopeLogs: [scopeLogs] }] }
    for (const body of [protobuf, runAtOnce(protobufOf(requests.logs, Buffer.from(JSON.stringify(json))))]) {
      const { batch: logBatch } = runAtOnce(decodeLogs(body, now + 5n))
      const columns = runAtOnce(logColumns(logBatch))
      for (const [i, log] of logs.entries()) {
        const wanted = rowOf(log, resource, scope)
        const found = Object.fromEntries(columns.map(column => [column.name, cell(column, i)]))
        if (found['event_name'] !== undefined) wanted['event_name'] = log.eventName ?? ''
        if (show(found) !== show(wanted)) t.same(found, wanted)
        rows++
      }
    }
  }
  t.ok(rows > 5000)
})
