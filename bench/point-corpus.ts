// Metrics of services for benches, as exporters send them: the same series in every round, counters and gauges, some of them histograms.
import { ProtoWriter } from '../core/wire/index.ts'
import { type Corpus, sequence } from './corpus.ts'
import { attributes, fixed64 } from './telemetry-corpus.ts'

interface Points {
  readonly series: number
  readonly rounds: number
  /** Points of one request. */
  readonly perBody: number
  /** Share of the metrics that are histograms of twelve buckets. */
  readonly histograms: number
}

const bounds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
const metricsPerService = 20
const pointsPerMetric = 10
const secondsApart = 15

/** Samples a histogram's point becomes: its buckets, their sum and their count. */
export const samplesPerHistogram = bounds.length + 3

function* pointBodies(points: Points): Generator<{ body: Buffer; items: number }> {
  const random = sequence(5)
  const started = BigInt(Date.now() - points.rounds * secondsApart * 1000) * 1_000_000n
  const perService = metricsPerService * pointsPerMetric
  const services = Math.ceil(points.series / perService)
  const perBody = Math.max(1, Math.round(points.perBody / perService))
  for (let round = 0; round < points.rounds; round++) {
    const time = started + BigInt(round * secondsApart) * 1_000_000_000n
    for (let at = 0; at < services; at += perBody) {
      const count = Math.min(perBody, services - at)
      const out = new ProtoWriter()
      for (let i = at; i < at + count; i++) {
        out.data(1, service(i, { started, time, round, histograms: points.histograms }, random))
      }
      yield { body: Buffer.from(out.bytes), items: count * perService }
    }
  }
}

interface Round {
  readonly started: bigint
  readonly time: bigint
  readonly round: number
  readonly histograms: number
}

function service(i: number, round: Round, random: () => number): Uint8Array {
  const resource = attributes(new ProtoWriter(), 1, [
    ['service.name', `service-${i % 40}`],
    ['service.instance.id', `instance-${i}`],
    ['service.version', '2.1.3'],
    ['host.name', `node-${i % 12}.internal`],
    ['k8s.pod.name', `service-7d9f-${i}`],
    ['telemetry.sdk.language', 'go']
  ])
  const scope = new ProtoWriter().data(1, new ProtoWriter().text(1, 'runtime').text(2, '1.4.0').bytes)
  for (let metric = 0; metric < metricsPerService; metric++) {
    scope.data(2, oneMetric(metric, round, random))
  }
  return new ProtoWriter().data(1, resource.bytes).data(2, scope.bytes).bytes
}

function oneMetric(metric: number, round: Round, random: () => number): Uint8Array {
  const isHistogram = metric < round.histograms * metricsPerService
  const isSum = !isHistogram && metric % 2 === 0
  const data = new ProtoWriter()
  for (let i = 0; i < pointsPerMetric; i++) {
    const point = fixed64(fixed64(new ProtoWriter(), 2, round.started), 3, round.time)
    if (isHistogram) histogram(point, round.round)
    else if (isSum) fixed64(point, 6, BigInt(round.round * 100 + i))
    else point.double(4, random() * 100)
    const field = isHistogram ? 9 : 7
    attributes(point, field, [
      ['http.route', `/api/v1/resource-${i}`],
      ['http.request.method', i % 2 === 0 ? 'GET' : 'POST'],
      ['http.response.status_code', i % 5 === 0 ? 500 : 200]
    ])
    data.data(1, point.bytes)
  }
  if (!isSum && !isHistogram) {
    return head(metric).data(5, data.bytes).bytes
  }
  data.uint(2, 2)
  return head(metric).data(isHistogram ? 9 : 7, (isSum ? data.uint(3, 1) : data).bytes).bytes
}

function head(metric: number): ProtoWriter {
  return new ProtoWriter().text(1, `app.requests.${metric}`).text(2, `What service ${metric} counts.`).text(3, 'By')
}

function histogram(point: ProtoWriter, round: number): void {
  const counts = new ProtoWriter()
  for (let i = 0; i <= bounds.length; i++) counts.raw(new Uint8Array(BigUint64Array.of(BigInt(round + i)).buffer))
  const limits = new ProtoWriter()
  for (const bound of bounds) limits.rawDouble(bound)
  fixed64(point, 4, BigInt((bounds.length + 1) * round + 66)).double(5, round * 1.5)
  point.data(6, counts.bytes).data(7, limits.bytes)
}

export function pointCorpus(points: Points): Corpus {
  const bodies = [...pointBodies(points)]
  return {
    name: 'points',
    headers: { 'Content-Type': 'application/x-protobuf' },
    bodies: bodies.map(({ body }) => body),
    items: bodies.reduce((sum, { items }) => sum + items, 0)
  }
}
