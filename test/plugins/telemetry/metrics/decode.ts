// Decodes a metrics request without a server.

import { runAtOnce } from '../../../../core/index.ts'
import { decodeMetrics } from '../../../../plugins/telemetry/metrics/decode.ts'
import { KnownMetrics } from '../../../../plugins/telemetry/metrics/known.ts'
import { PointNames } from '../../../../plugins/telemetry/metrics/point-names.ts'
import { type FoundHistogram, PointReader } from '../../../../plugins/telemetry/metrics/point-reader.ts'
import { promotedByDefault, readPolicy } from '../../../../plugins/telemetry/metrics/policy.ts'
import { Samples } from '../../../../plugins/telemetry/metrics/samples.ts'
import { StartTimes } from '../../../../plugins/telemetry/metrics/start-times.ts'

export interface ReadSample {
  readonly table: string
  readonly labels: Readonly<Record<string, string>>
  readonly time: number
  readonly value: number
}

export interface ReadMetrics {
  readonly samples: readonly ReadSample[]
  readonly histograms: readonly FoundHistogram[]
  readonly rejected: number
}

/** A reader that knows what it has read before. */
export function createReadMetrics(): (body: Uint8Array) => ReadMetrics {
  const known = new KnownMetrics().within('', () => {})
  const startTimes = new StartTimes()
  const samples = new Samples()
  const policy = readPolicy(
    {},
    {
      metric_translation_strategy: 'UnderscoreEscapingWithSuffixes',
      promote_all_resource_attributes: false,
      promote_resource_attributes: promotedByDefault,
      ignore_resource_attributes: [],
      promote_scope_attributes: true
    }
  )
  return body => {
    samples.clear()
    const points = new PointReader(body, samples, startTimes)
    runAtOnce(decodeMetrics(points, known, policy))
    const { histograms, rejected } = points
    return { samples: samplesOf(samples, new PointNames(points, policy)), histograms, rejected }
  }
}

function samplesOf(samples: Samples, names: PointNames): ReadSample[] {
  const { times, values } = samples
  return Array.from({ length: samples.count }, (_, i) => {
    const { table, labels } = names.name(samples.points[i]!, samples.partOf(i))
    const texts = Object.fromEntries(labels.map(({ name, value }) => [name, Buffer.from(value).toString()]))
    return { table, labels: texts, time: Number(times[i]), value: values[i]! }
  })
}
