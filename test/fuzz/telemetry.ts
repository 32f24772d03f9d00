// Random, damaged and truncated requests of metrics and logs: each is accepted or refused, and accepted ones have consistent samples and columns.
import { isDbError, runAtOnce } from '../../core/index.ts'
import { logColumns } from '../../plugins/telemetry/logs/columns.ts'
import { decodeLogs } from '../../plugins/telemetry/logs/decode.ts'
import { extractedColumns } from '../../plugins/telemetry/logs/extract.ts'
import { itemsOf } from '../../plugins/telemetry/logs/items.ts'
import { protobufOf } from '../../plugins/telemetry/wire/from-json.ts'
import { requests } from '../../plugins/telemetry/wire/message.ts'
import { record, recordJson, type TestRecord } from '../plugins/telemetry/logs/messages.ts'
import { createReadMetrics } from '../plugins/telemetry/metrics/decode.ts'
import { makeMetrics } from '../plugins/telemetry/metrics/model.ts'
import { exportRequest, type Value } from '../plugins/telemetry/proto.ts'
import { bendBytes } from './bend.ts'
import { checkColumns } from './columns.ts'
import type { Random } from './random.ts'
import { type Attempt, fuzzReading } from './reading.ts'

const pieces = [
  '\n',
  '\x12',
  '\x3a\x00',
  '\x00',
  '\xff',
  '"',
  '{',
  '[',
  'NaN',
  '"asInt":',
  '"key":"a"',
  '\x0a\xff\xff\x7f'
]
const values: readonly Value[] = ['x', 'ü', true, 1n, -1n, 0.5, ['a'], { k: ['b'] }, Buffer.from('b'), null]

const readMetrics = createReadMetrics()

function attempt(random: Random): Attempt {
  const isJson = random.once(3)
  const signal = random.once(2) ? 'metrics' : 'logs'
  const whole = signal === 'metrics' ? metricsBody(random, isJson) : logsBody(random, isJson)
  const body = bendBytes(random, whole, pieces)
  return {
    input: () => `${signal} as ${isJson ? 'JSON' : 'protobuf'} ${Buffer.from(body).toString('base64')}`,
    read() {
      const bytes = isJson ? runAtOnce(protobufOf(requests[signal], body)) : body
      if (signal === 'metrics') readMetrics(bytes)
      else readLogs(bytes)
    }
  }
}

export const fuzz = fuzzReading(attempt, error => isDbError(error) && error.status < 500)

function metricsBody(random: Random, isJson: boolean): Uint8Array {
  const made = makeMetrics(random)
  return isJson ? Buffer.from(made.json) : made.protobuf
}

function logsBody(random: Random, isJson: boolean): Uint8Array {
  const logs = Array.from({ length: random.below(4) }, (): TestRecord => {
    const attributes = { a: random.pick(values), [random.pick(['b', 'é'])]: random.pick(values) }
    return { time: BigInt(random.below(2 ** 31)), severityText: 'INFO', body: random.pick(values), attributes }
  })
  if (!isJson) return exportRequest([{ resource: { a: random.pick(values) }, items: logs.map(record) }])
  return Buffer.from(JSON.stringify({ resourceLogs: [{ scopeLogs: [{ logRecords: logs.map(recordJson) }] }] }))
}

/** Columns, items and extracted keys. */
function readLogs(bytes: Uint8Array): void {
  const { batch } = runAtOnce(decodeLogs(bytes, 1n))
  checkColumns(runAtOnce(logColumns(batch)), batch.records)
  const { rows } = runAtOnce(itemsOf(batch, 100_000))
  if (rows !== batch.records) throw new Error(`${rows} items of ${batch.records} records`)
  checkColumns(runAtOnce(extractedColumns(batch, ['A', 'b'], undefined)), batch.records)
}
