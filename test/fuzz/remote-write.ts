// Random, damaged and truncated remote write and read requests: each is accepted or refused.

import { isDbError } from '../../core/index.ts'
import { decodeSnappy, encodeSnappy, snappyLength, snappySlack } from '../../core/wire/index.ts'
import { readRequest } from '../../plugins/metricsys/read/decode.ts'
import { DecodeBuffer } from '../../plugins/metricsys/write/decode/decode-buffer.ts'
import { decodeV1 } from '../../plugins/metricsys/write/decode/v1.ts'
import { decodeV2 } from '../../plugins/metricsys/write/decode/v2.ts'
import { histogramJson, readHistogram, writeHistogram } from '../../plugins/metricsys/write/histogram.ts'
import { SeriesNames } from '../../plugins/metricsys/write/series-name.ts'
import { type TestSeries, writeV1, writeV2 } from '../plugins/metricsys/messages.ts'
import type { Random } from './random.ts'
import { type Attempt, fuzzReading } from './reading.ts'

const names = ['__name__', 'job', 'instance', '__database__', 'le', 'größe', '', 'svc_value', 'x'.repeat(300)]
const values = ['m', '', 'a', '0.5', '+Inf', 'ü', 'y'.repeat(200)]
const numbers = [0, 1, -1, 0.1, Number.NaN, Number.POSITIVE_INFINITY, 1e300]
const largest = 1 << 20

const buffer = new DecodeBuffer()
const labels = new SeriesNames(false, () => ({ labels: 2_000, bytes: 1 << 22 }))

function attempt(random: Random): Attempt {
  const version = random.pick([1, 2] as const)
  const series = Array.from({ length: random.below(4) }, () => makeSeries(random))
  const body = bend(random, encodeSnappy(version === 1 ? writeV1(series) : writeV2(series)))
  return {
    input: () => `version ${version}, ${Buffer.from(body).toString('base64')}`,
    read: () => read(body, version)
  }
}

export const fuzz = fuzzReading(attempt, error => isDbError(error) && error.status === 400)

function makeSeries(random: Random): TestSeries {
  const pairs = Array.from({ length: random.below(5) }, () => [random.pick(names), random.pick(values)])
  return {
    labels: { ...Object.fromEntries(pairs), ...(random.once(4) ? {} : { __name__: 'm' }) },
    samples: Array.from({ length: random.below(3) }, () => [random.below(2 ** 31) - 5, random.pick(numbers)]),
    ...(random.once(3) && { exemplars: [{ labels: { trace_id: 'x' }, value: 1, time: 5 }] }),
    ...(random.once(3) && { histograms: [bend(random, histogram)] })
  }
}

const histogram = writeHistogram(
  '{"schema":1,"zero_threshold":0.1,"sum":5.5,"reset_hint":0,"positive_span_offsets":[0,2],"positive_span_lengths":[1,1],' +
    '"negative_span_offsets":[],"negative_span_lengths":[],"count_i64":5,"zero_count_i64":2,"positive_buckets_i64":[1,2],"negative_buckets_i64":[]}',
  7n
)

/** Some bytes changed, put in or cut off; nothing one time in three. */
function bend(random: Random, bytes: Uint8Array): Uint8Array {
  const bent = [...bytes]
  for (let changes = random.below(3); changes > 0 && bent.length > 0; changes--) {
    const at = random.below(bent.length)
    if (random.once(2)) bent[at] = random.below(256)
    else bent.splice(at, random.below(3), ...Array.from({ length: random.below(3) }, () => random.below(256)))
  }
  return Uint8Array.from(random.once(8) ? bent.slice(0, random.below(bent.length + 1)) : bent)
}

/** Everything that is read of a request, its names and histograms included. */
function read(body: Uint8Array, version: 1 | 2): void {
  const size = snappyLength(body)
  if (size > largest) return
  const length = decodeSnappy(body, buffer.reserveBody(size + snappySlack))
  const request = buffer.body.slice(0, length)
  const decoded = version === 1 ? decodeV1(buffer, length) : decodeV2(buffer, length)
  for (let i = 0; i < buffer.keyCount; i++) labels.read(buffer.body, buffer.starts[i]!, buffer.ends[i]!)
  for (let i = 0; i < buffer.samples; i++) {
    if (buffer.series[i]! >= buffer.keyCount) throw new Error(`sample ${i} belongs to no series`)
  }
  for (const { message } of decoded.histograms) {
    const found = readHistogram(buffer.body, message.start, message.end)
    const json = histogramJson(found)
    const again = writeHistogram(json, found.time)
    if (histogramJson(readHistogram(again, 0, again.length)) !== json) throw new Error(`a histogram changed: ${json}`)
  }
  readRequest(request)
}
