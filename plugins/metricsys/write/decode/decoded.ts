// The parts of a remote write request that are no plain samples. Samples are in its DecodeBuffer.
import type { DbError } from '../../../../core/wire/index.ts'
import type { MetricMetadata } from '../../../services.ts'

/** A range of bytes in the body of the buffer. */
export interface Range {
  readonly start: number
  readonly end: number
}

/** An exemplar of a series; `key` and `labels` are labels as version 1.0 writes them. */
interface Exemplar {
  readonly key: Range
  readonly labels: Range
  readonly value: number
  /** Milliseconds since 1970. */
  readonly time: bigint
}

/** One native histogram; `message` is its protobuf. */
interface HistogramSample {
  readonly key: Range
  readonly message: Range
}

export interface Decoded {
  readonly exemplars: Exemplar[]
  readonly histograms: HistogramSample[]
  readonly metadata: MetricMetadata[]
  /** Series version 2.0 left out, and why. */
  readonly failures: DbError[]
}

export function nothingDecoded(): Decoded {
  return { exemplars: [], histograms: [], metadata: [], failures: [] }
}

/** Metric types by their number in the protocol. */
export const metricTypes = ['unknown', 'counter', 'gauge', 'histogram', 'gaugehistogram', 'summary', 'info', 'stateset']
