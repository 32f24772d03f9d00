// The response type SAMPLES: all series in one message.
import { endsStep, type Steps } from '../../../core/index.ts'
import { ProtoWriter } from '../../../core/wire/index.ts'
import { writeHistogram } from '../write/histogram.ts'
import { type Label, type ReadSeries, stepRows } from './series.ts'

/** One result for each query, in order, also where nothing was found. */
export function* writeSamples(results: readonly (readonly ReadSeries[])[]): Steps<Uint8Array> {
  const out = new ProtoWriter()
  for (const result of results) {
    const inner = new ProtoWriter()
    for (const series of result) {
      inner.data(1, yield* writeSeries(series))
      yield
    }
    out.data(1, inner.bytes)
    yield
  }
  return out.bytes
}

function* writeSeries({ labels, times, values, histograms }: ReadSeries): Steps<Uint8Array> {
  const out = new ProtoWriter()
  writeLabels(out, labels)
  const sample = new ProtoWriter()
  for (const [i, time] of times.entries()) {
    const bits = values[i]!
    sample.clear()
    sample.bits64(1, Number(BigInt.asIntN(32, bits)), Number(BigInt.asIntN(32, bits >> 32n)))
    out.data(2, sample.int64(2, time).bytes)
    if (endsStep(i, stepRows)) yield
  }
  for (const { json, time } of histograms) {
    out.data(4, writeHistogram(json, time))
    yield
  }
  return out.bytes
}

/** A message as field 1 of the one around it. */
export function writeLabels(out: ProtoWriter, labels: readonly Label[]): void {
  for (const [name, value] of labels) out.data(1, new ProtoWriter().text(1, name).text(2, value).bytes)
}
