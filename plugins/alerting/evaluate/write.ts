// Stores results of rules as samples in metric tables.
import {
  joinSeriesKeys,
  mapPaced,
  type Pace,
  runPaced,
  type SeriesWrite,
  type TableWrite
} from '../../../core/index.ts'
import type { HistogramRow, MetricsysService, NativeHistogram } from '../../services.ts'
import { type Labels, metricName, type Sample, type Written } from './sample.ts'

type Metrics = Pick<MetricsysService, 'timeColumn' | 'valueColumn' | 'physicalTable' | 'histogramWrites'>

/** The staleness marker, which ends a series: the bits of a certain NaN. */
const endOfSeries = 0x7ff0000000000002n

const noBuckets = { spans: [], counts: [] }

/** The staleness marker of histograms. */
const endOfHistograms: NativeHistogram = {
  float: true,
  schema: 0,
  zeroThreshold: 0,
  sumBits: endOfSeries,
  resetHint: 0,
  startTime: 0n,
  customValues: [],
  count: 0,
  zeroCount: 0,
  positive: noBuckets,
  negative: noBuckets
}

/** Samples at one time (milliseconds since 1970), and staleness markers for series that have no sample any more. */
export async function samplesWrites(
  samples: readonly Sample[],
  ended: readonly Written[],
  time: number,
  metrics: Metrics,
  pace: Pace
): Promise<readonly (SeriesWrite | TableWrite)[]> {
  const rowOf = (labels: Labels, histogram: NativeHistogram): HistogramRow => ({
    name: nameOf(labels),
    time: BigInt(time),
    histogram
  })
  const rows = [
    ...samples.flatMap(({ labels, histogram }) => (histogram === undefined ? [] : [rowOf(labels, histogram)])),
    ...ended.flatMap(({ labels, isHistogram }) => (isHistogram ? [rowOf(labels, endOfHistograms)] : []))
  ]
  const numbers = samples.filter(({ histogram }) => histogram === undefined)
  const over = ended.flatMap(({ labels, isHistogram }) => (isHistogram ? [] : [labels]))
  return [
    ...(numbers.length + over.length > 0 ? [await numbersWrite(numbers, over, time, metrics, pace)] : []),
    ...(rows.length > 0 ? await runPaced(pace, metrics.histogramWrites(rows, metrics.physicalTable)) : [])
  ]
}

async function numbersWrite(
  samples: readonly Sample[],
  ended: readonly Labels[],
  time: number,
  { timeColumn, valueColumn, physicalTable }: Metrics,
  pace: Pace
): Promise<SeriesWrite> {
  const all = [...samples.map(({ labels }) => labels), ...ended]
  const keys = await mapPaced(pace, all, labels => Buffer.from(JSON.stringify(labels)))
  const values = new Float64Array(all.length)
  const bits = new BigUint64Array(values.buffer)
  for (const [i, { value }] of samples.entries()) values[i] = value
  bits.fill(endOfSeries, samples.length)
  return {
    kind: 'series',
    keys: joinSeriesKeys(keys),
    name: i => nameOf(all[i]!),
    samples: all.length,
    series: Uint32Array.from(all, (_, i) => i),
    times: new BigInt64Array(all.length).fill(BigInt(time)),
    ...{ values, timeColumn, valueColumn, physicalTable },
    autoCreate: true
  }
}

function nameOf(labels: Labels) {
  return {
    table: labels.find(([name]) => name === metricName)![1],
    labels: labels.filter(([name]) => name !== metricName).map(([name, value]) => ({ name, value: Buffer.from(value) }))
  }
}
