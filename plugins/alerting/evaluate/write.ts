// Keeps what rules give, as samples of series: the tables of metrics.
import { mapPaced, type Pace, type SeriesWrite } from '../../../core/index.ts'
import type { MetricsysService } from '../../services.ts'
import { metricName, type Sample } from './sample.ts'

type Names = Pick<MetricsysService, 'timeColumn' | 'valueColumn' | 'physicalTable' | 'limits'>

/** The number that says that a series has ended: the bits of a certain NaN. */
const endOfSeries = 0x7ff0000000000002n

/** Samples at one time (milliseconds since 1970), and the end of series that have none any more. */
export async function samplesWrite(
  samples: readonly Sample[],
  ended: readonly Sample['labels'][],
  time: number,
  { timeColumn, valueColumn, physicalTable, limits }: Names,
  pace: Pace
): Promise<SeriesWrite> {
  const all = [...samples.map(({ labels }) => labels), ...ended]
  const keys = await mapPaced(pace, all, labels => Buffer.from(JSON.stringify(labels)))
  const ends = new Uint32Array(keys.length)
  let end = 0
  for (const [i, key] of keys.entries()) {
    end += key.length
    ends[i] = end
  }
  const values = new Float64Array(all.length)
  const bits = new BigUint64Array(values.buffer)
  for (const [i, { value }] of samples.entries()) values[i] = value
  bits.fill(endOfSeries, samples.length)
  return {
    kind: 'series',
    keys: {
      count: keys.length,
      bytes: Buffer.concat(keys),
      starts: Uint32Array.from(keys, (key, i) => ends[i]! - key.length),
      ends
    },
    name: i => ({
      table: all[i]!.find(([name]) => name === metricName)![1],
      labels: all[i]!.filter(([name]) => name !== metricName).map(([name, value]) => ({
        name,
        value: Buffer.from(value)
      }))
    }),
    samples: all.length,
    series: Uint32Array.from(all, (_, i) => i),
    times: new BigInt64Array(all.length).fill(BigInt(time)),
    ...{ values, timeColumn, valueColumn, physicalTable, limits },
    autoCreate: true
  }
}
