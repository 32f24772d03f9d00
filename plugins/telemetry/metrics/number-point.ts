// A point of a gauge or a sum: one number.
import { type Metric, part } from './metric.ts'
import { staleHigh, staleLow } from './number.ts'
import type { PointReader } from './point-reader.ts'

const field = { start: 2, time: 3, double: 4, exemplar: 5, int: 6, attributes: 7, flags: 8 } as const

/** Reads the message the reader has entered. */
export function readNumberPoint(points: PointReader, metric: Metric): void {
  const { reader, samples } = points
  const { view } = reader
  let kind = 0
  let low = 0
  let high = 0
  points.begin()
  for (let start = reader.at; reader.next(); start = reader.at) {
    switch (reader.field) {
      case field.start:
        points.takeStart()
        break
      case field.time:
        points.takeTime()
        break
      case field.double:
      case field.int: {
        reader.expect(1)
        const { at } = reader
        reader.skip()
        kind = reader.field
        low = view.getInt32(at, true)
        high = view.getInt32(at + 4, true)
        break
      }
      case field.attributes:
        points.takeAttribute(start)
        break
      case field.exemplar:
        points.takeExemplar()
        break
      case field.flags:
        points.flags = reader.uint()
        break
      default:
        reader.skip()
    }
  }
  const { isStale } = points
  if (kind === 0 && !isStale) {
    points.reject(`metric ${metric.metadata.metric}: a point has no value`)
    return
  }
  const point = points.add(metric)
  if (point === undefined) return
  if (isStale) samples.addBits(part.value, staleLow, staleHigh)
  else if (kind === field.double) samples.addBits(part.value, low, high)
  else samples.addNumber(part.value, high * 4294967296 + (low >>> 0))
  if (points.exemplarOffsets.length > 0) points.addExemplars(point, part.value)
}
