// The server's own metrics as samples, with a table per metric.
import { joinSeriesKeys, type MetricSample, type SeriesLabel, type SeriesWrite } from '../../../core/index.ts'
import type { MetricsysService } from '../../services.ts'

type Names = Pick<MetricsysService, 'timeColumn' | 'valueColumn' | 'physicalTable'>

/** All samples get one time, in milliseconds since 1970. */
export function metricWrite(samples: readonly MetricSample[], time: number, names: Names, ttl: string): SeriesWrite {
  const { timeColumn, valueColumn, physicalTable } = names
  const keys = samples.map(sample => Buffer.from(JSON.stringify([sample.name, sample.labels])))
  return {
    kind: 'series',
    keys: joinSeriesKeys(keys),
    name: i => ({ table: samples[i]!.name, labels: labelsOf(samples[i]!) }),
    samples: samples.length,
    series: Uint32Array.from(samples, (_, i) => i),
    times: new BigInt64Array(samples.length).fill(BigInt(time)),
    values: Float64Array.from(samples, ({ value }) => value),
    ...{ timeColumn, valueColumn, physicalTable },
    options: { ttl },
    autoCreate: true
  }
}

function labelsOf({ labels }: MetricSample): SeriesLabel[] {
  return Object.entries(labels)
    .filter(([, value]) => value !== '')
    .map(([name, value]) => ({ name, value: Buffer.from(value) }))
}
