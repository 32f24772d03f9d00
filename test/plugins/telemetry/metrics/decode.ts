// Decodes a metrics request without a server.

import { runAtOnce } from '../../../../core/index.ts'
import { ProtoReader } from '../../../../core/wire/index.ts'
import { decodeMetrics } from '../../../../plugins/telemetry/metrics/decode.ts'
import type { FoundHistogram } from '../../../../plugins/telemetry/metrics/exponential-point.ts'
import { KnownMetrics } from '../../../../plugins/telemetry/metrics/known.ts'
import { AttributeReader } from '../../../../plugins/telemetry/metrics/labels.ts'
import { PointNames } from '../../../../plugins/telemetry/metrics/point-names.ts'
import { PointReader } from '../../../../plugins/telemetry/metrics/point-reader.ts'
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
  const known = new KnownMetrics()
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
    const reader = new ProtoReader(body)
    const points = new PointReader(reader, samples, startTimes)
    const attributes = new AttributeReader()
    const histograms: FoundHistogram[] = []
    const steps = decodeMetrics({
      body: Buffer.from(body.buffer, body.byteOffset, body.length),
      ...{ points, known, attributes, policy, histograms },
      cacheScope: '',
      checkMetric: () => {}
    })
    runAtOnce(steps)
    const names = new PointNames(reader, samples, attributes, policy)
    return { samples: samplesOf(samples, names), histograms, rejected: points.rejected }
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
