// Remote write requests for benches: samples of a fleet of machines, every series in every round, or some of them new in each.
import { encodeSnappy, ProtoWriter } from '../core/wire/index.ts'
import { type Corpus, sequence } from './corpus.ts'

interface Fleet {
  readonly series: number
  readonly rounds: number
  /** Share of the series that are new in every round, in place of the oldest. */
  readonly churn: number
  /** Samples of one request. */
  readonly perBody: number
}

const metrics = ['user', 'system', 'idle', 'nice', 'iowait', 'irq', 'softirq', 'steal', 'guest', 'guest_nice']
const regions = ['eu-north-1', 'eu-west-3', 'us-east-2', 'ap-south-1']
const teams = ['core', 'edge', 'data', 'shop', 'search']
const secondsApart = 15

/** One body after the other: together they would not fit into memory. */
function* metricBodies({ series, rounds, churn, perBody }: Fleet): Generator<{ body: Buffer; items: number }> {
  const start = Date.now() - rounds * secondsApart * 1000
  const random = sequence(11)
  const values = new Float64Array(series).map(() => Math.round(random() * 100))
  const fresh = Math.round(series * churn)
  const [out, one, sample] = [new ProtoWriter(), new ProtoWriter(), new ProtoWriter()]
  const putLabels = labelWriter()
  for (let round = 0; round < rounds; round++) {
    const time = BigInt(start + round * secondsApart * 1000)
    for (let at = 0; at < series; at += perBody) {
      const items = Math.min(perBody, series - at)
      out.clear()
      for (let i = at; i < at + items; i++) {
        values[i] = Math.max(0, Math.min(100, values[i]! + Math.round((random() - 0.5) * 4)))
        sample.clear()
        sample.double(1, values[i]!).int64(2, time)
        one.clear()
        putLabels(one, round * fresh + i)
        out.data(1, one.data(2, sample.bytes).bytes)
      }
      yield { body: Buffer.from(encodeSnappy(out.bytes)), items }
    }
  }
}

export function metricCorpus(fleet: Fleet): Corpus {
  const bodies = [...metricBodies(fleet)]
  return {
    name: 'remote-write',
    headers: {
      'Content-Type': 'application/x-protobuf',
      'Content-Encoding': 'snappy',
      'X-Prometheus-Remote-Write-Version': '0.1.0'
    },
    bodies: bodies.map(({ body }) => body),
    items: bodies.reduce((sum, { items }) => sum + items, 0)
  }
}

/** Eleven labels, sorted, as senders write them. Those of a machine are made once for all of its metrics. */
function labelWriter(): (out: ProtoWriter, series: number) => void {
  const pair = new ProtoWriter()
  const shared = new ProtoWriter()
  let last = -1
  const put = (out: ProtoWriter, name: string, value: string) => {
    pair.clear()
    out.data(1, pair.text(1, name).text(2, value).bytes)
  }
  return (out, series) => {
    const host = Math.floor(series / metrics.length)
    put(out, '__name__', `machine_cpu_${metrics[series % metrics.length]}`)
    if (host !== last) {
      shared.clear()
      for (const [name, value] of hostLabels(host)) put(shared, name, value)
      last = host
    }
    out.raw(shared.bytes)
  }
}

function hostLabels(host: number): readonly (readonly [string, string])[] {
  const region = regions[host % regions.length]!
  return [
    ['arch', host % 3 === 0 ? 'arm64' : 'amd64'],
    ['cluster', `${region}-${host % 7}`],
    ['env', host % 5 === 0 ? 'staging' : 'production'],
    ['instance', `node-${host}.${region}.internal:9100`],
    ['job', 'machine'],
    ['os', 'linux-6.1'],
    ['rack', `r${host % 120}`],
    ['region', region],
    ['team', teams[host % teams.length]!],
    ['version', `1.${host % 4}.0`]
  ]
}
