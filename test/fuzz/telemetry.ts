// Requests of metrics and logs made up, bent and cut: reading takes one or refuses it, and its samples and columns hold together.
import { isDbError, type TableWrite } from '../../core/index.ts'
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
import { createRandom, type Fuzz, type Random } from './random.ts'

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

export const fuzz: Fuzz = (seed, runs) => {
  const random = createRandom(seed)
  const readMetrics = createReadMetrics()
  let taken = 0
  for (let run = 0; run < runs; run++) {
    const isJson = random.once(3)
    const isMetrics = random.once(2)
    const whole = isMetrics ? metricsBody(random, isJson) : logsBody(random, isJson)
    const body = bendBytes(random, whole, pieces)
    try {
      const bytes = isJson ? protobufOf(requests[isMetrics ? 'metrics' : 'logs'], body) : body
      if (isMetrics) readMetrics(bytes)
      else readLogs(bytes)
      taken++
    } catch (error) {
      if (isDbError(error) && error.status < 500) continue
      const kind = `${isMetrics ? 'metrics' : 'logs'} as ${isJson ? 'JSON' : 'protobuf'}`
      const broken = `run ${run}, ${kind} ${Buffer.from(body).toString('base64')}: ${error instanceof Error ? error.stack : error}`
      return { runs: run, summary: `${taken} taken`, broken }
    }
  }
  return { runs, summary: `${taken} taken, the others refused` }
}

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
  const { frame } = decodeLogs(bytes, 1n)
  for (const column of logColumns(frame)) {
    const rows = rowsOf(column)
    if (rows !== frame.records) throw new Error(`column ${column.name} has ${rows} rows of ${frame.records}`)
  }
  const { rows } = itemsOf(frame)
  if (rows !== frame.records) throw new Error(`${rows} items of ${frame.records} records`)
  extractedColumns(frame, ['A', 'b'], undefined)
}

function rowsOf({ data }: TableWrite['columns'][number]): number {
  if (data.kind === 'fixed') return data.values.length
  if (data.kind === 'bytes') return data.offsets.at(-1)! <= data.bytes.length ? data.offsets.length - 1 : -1
  const entries = data.dictionary.offsets.length - 1
  return data.codes.every(code => code < entries) ? data.codes.length : -1
}
