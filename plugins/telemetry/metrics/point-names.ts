// The series of a part of a point: labels of its origin and of the point. Labels of the point are read on demand.

import type { SeriesName } from '../../../core/index.ts'
import { ProtoReader } from '../../../core/wire/index.ts'
import { type AttributeReader, addLabel, type Labels } from './labels.ts'
import { pointsField } from './metric.ts'
import type { PointReader } from './point-reader.ts'
import type { Policy } from './policy.ts'
import type { Samples } from './samples.ts'

/** Field number of a point's attributes, by the field that holds the points. */
const attributesField: Readonly<Record<number, number>> = {
  [pointsField.gauge]: 7,
  [pointsField.sum]: 7,
  [pointsField.histogram]: 9,
  [pointsField.exponential]: 1,
  [pointsField.summary]: 7
}

export class PointNames {
  readonly #reader: ProtoReader
  readonly #samples: Samples
  readonly #attributes: AttributeReader
  readonly #policy: Policy
  /** The point whose labels were read last: its parts are requested one after the other. */
  #lastPoint = -1
  #lastLabels: Labels = new Map()

  constructor({ reader, samples, attributes }: PointReader, policy: Policy) {
    this.#reader = reader
    this.#samples = samples
    this.#attributes = attributes
    this.#policy = policy
  }

  /** Throws DbError `InvalidArguments` for attributes that cannot be read. */
  name(point: number, part: number): SeriesName {
    if (this.#lastPoint !== point) {
      this.#lastLabels = this.#labels(point)
      this.#lastPoint = point
    }
    return this.#samples.metrics[point]!.name(part, this.#lastLabels)
  }

  #labels(point: number): Labels {
    const samples = this.#samples
    const labels: Labels = new Map()
    const joined = samples.joined.get(point)
    const reader = joined === undefined ? this.#reader : new ProtoReader(joined)
    const start = joined === undefined ? samples.attributeStarts[point]! : 0
    const end = joined === undefined ? samples.attributeEnds[point]! : joined.length
    const field = attributesField[samples.metrics[point]!.kind.field]!
    this.#attributes.each(reader, start, end, field, (key, value) =>
      addLabel(labels, key, value, this.#policy.strategy)
    )
    return labels
  }
}
