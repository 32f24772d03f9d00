// A point of a summary: its sum, its count, and a number for each quantile.
import type { ProtoReader } from '../../../core/wire/index.ts'
import { fixed, integerAt } from './histogram-point.ts'
import { type Metric, part } from './metric.ts'
import { staleHigh, staleLow } from './number.ts'
import type { PointReader } from './point-reader.ts'

const field = { start: 2, time: 3, count: 4, sum: 5, quantile: 6, attributes: 7, flags: 8 } as const

/** Reads the message the reader has entered. */
export function readSummaryPoint(points: PointReader, metric: Metric): void {
  const { reader, samples } = points
  const quantiles: { readonly part: number; readonly value: number }[] = []
  let count = 0
  let sum = 0
  points.begin()
  for (let start = reader.at; reader.next(); start = reader.at) {
    if (reader.field === field.start) points.takeStart()
    else if (reader.field === field.time) points.takeTime()
    else if (reader.field === field.count) count = integerAt(reader, fixed(reader))
    else if (reader.field === field.sum) sum = reader.view.getFloat64(fixed(reader), true)
    else if (reader.field === field.quantile) quantiles.push(readQuantile(reader, metric))
    else if (reader.field === field.attributes) points.takeAttribute(start)
    else if (reader.field === field.flags) points.flags = reader.uint()
    else reader.skip()
  }
  if (points.add(metric) === undefined) return
  const { isStale } = points
  const put = (number: number, value: number) =>
    isStale ? samples.addBits(number, staleLow, staleHigh) : samples.addNumber(number, value)
  put(part.sum, sum)
  put(part.count, count)
  for (const { part: number, value } of quantiles) put(number, value)
}

function readQuantile(reader: ProtoReader, metric: Metric) {
  let quantile = 0
  let value = 0
  const outer = reader.enter()
  while (reader.next()) {
    if (reader.field === 1) quantile = reader.view.getFloat64(fixed(reader), true)
    else if (reader.field === 2) value = reader.view.getFloat64(fixed(reader), true)
    else reader.skip()
  }
  reader.leave(outer)
  return { part: metric.quantile(quantile), value }
}
