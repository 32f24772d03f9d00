// Random, damaged and truncated trace requests: each is accepted or refused, and the columns of accepted ones have a row per span.
import { isDbError, runAtOnce } from '../../core/index.ts'
import { decodeSpans } from '../../plugins/telemetry/traces/decode.ts'
import { spansWrite } from '../../plugins/telemetry/traces/table-write.ts'
import { protobufOf } from '../../plugins/telemetry/wire/from-json.ts'
import { requests } from '../../plugins/telemetry/wire/message.ts'
import { encodeTraces, type Pairs, type TestSpan, tracesJson, type Value } from '../plugins/telemetry/traces/encode.ts'
import { bendBytes } from './bend.ts'
import { checkColumns } from './columns.ts'
import type { Random } from './random.ts'
import { type Attempt, fuzzReading } from './reading.ts'

const keys = ['a', 'b', 'service.name', 'größe', '', 'x'.repeat(130), 'n\0']
const values: readonly Value[] = [
  'm',
  '',
  'ü',
  'y'.repeat(200),
  '7',
  true,
  0n,
  -1n,
  2n ** 62n,
  0.5,
  -0,
  Number.NaN,
  undefined
]
const pieces = ['\n', '\x12', '\x00', '\xff', '"', '{', '[', 'NaN', '"traceId":"zz"']

function attempt(random: Random): Attempt {
  const resources = Array.from({ length: random.below(3) }, () => ({
    attributes: pairs(random),
    scopes: [
      { name: 's', attributes: pairs(random), spans: Array.from({ length: random.below(4) }, () => span(random)) }
    ]
  }))
  const isJson = random.once(3)
  const body = bendBytes(random, isJson ? Buffer.from(tracesJson(resources)) : encodeTraces(resources), pieces)
  return {
    input: () => `${isJson ? 'JSON' : 'protobuf'} ${Buffer.from(body).toString('base64')}`,
    read: () =>
      check(isJson ? runAtOnce(protobufOf(requests.traces, body)) : body, random.once(4) ? 0 : random.below(6))
  }
}

export const fuzz = fuzzReading(attempt, error => isDbError(error) && error.status < 500)

function check(body: Uint8Array, maxColumns: number): void {
  const { batch } = runAtOnce(decodeSpans(body, Math.max(1, maxColumns)))
  const { write } = runAtOnce(spansWrite(batch, { table: 't', maxColumns }, undefined))
  checkColumns(write.columns, write.rows)
}

function pairs(random: Random): Pairs {
  return Array.from({ length: random.below(5) }, () => [random.pick(keys), value(random, 2)])
}

function value(random: Random, levels: number): Value {
  if (levels === 0 || !random.once(5)) return random.once(9) ? Uint8Array.of(1, 2, 255) : random.pick(values)
  const inside = Array.from({ length: random.below(3) }, () => value(random, levels - 1))
  return random.once(2) ? inside : Object.fromEntries(inside.map(each => [random.pick(keys), each]))
}

function span(random: Random): TestSpan {
  const id = (bytes: number) => (random.once(20) ? 'ab' : '7f'.repeat(bytes))
  return {
    traceId: id(16),
    spanId: id(8),
    ...(random.once(2) && { parentSpanId: id(8) }),
    name: random.pick(['GET /', '', 'ü']),
    kind: random.below(8),
    start: BigInt(random.below(2 ** 31)) ** 2n,
    end: BigInt(random.below(2 ** 31)) ** 2n,
    attributes: pairs(random),
    ...(random.once(3) && { status: { code: random.below(5), message: 'no' } }),
    ...(random.once(3) && { events: [{ time: 5n, name: 'e', attributes: pairs(random), dropped: random.below(2) }] }),
    ...(random.once(3) && { links: [{ traceId: id(16), spanId: id(8), attributes: pairs(random) }] }),
    ...(random.once(4) && { flags: 257 })
  }
}
