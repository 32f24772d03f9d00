// Estimates how many values each label name has, with a HyperLogLog sketch per name, to show which label makes series numerous.
import { randomInt } from 'node:crypto'
import { crc32 } from 'node:zlib'
import type { Metrics, SeriesLabel } from '../../../core/index.ts'

const registers = 512
const bias = 0.7213 / (1 + 1.079 / registers)
/** How many names are counted; further ones are ignored. */
const maxNames = 2_000
const shown = 10

/** Names of labels with the estimates of how many values they have. */
export class Cardinality {
  readonly #sketches = new Map<string, Uint8Array>()
  readonly #seed = randomInt(2 ** 32)
  /** The labels counted last, by index. A label that is the same object is not counted again. */
  #last: readonly SeriesLabel[] = []

  /** Counts the labels of a new series. The caller must not change them or their values afterwards. */
  add(labels: readonly SeriesLabel[]): void {
    const last = this.#last
    this.#last = labels
    for (let i = 0; i < labels.length; i++) {
      const label = labels[i]!
      if (label === last[i]) continue
      const { name, value } = label
      let sketch = this.#sketches.get(name)
      if (sketch === undefined) {
        if (this.#sketches.size >= maxNames) continue
        sketch = new Uint8Array(registers)
        this.#sketches.set(name, sketch)
      }
      const hash = Math.imul(crc32(value, this.#seed), 0x9e3779b1) >>> 0
      const mixed = Math.imul(hash ^ (hash >>> 15), 0x85ebca77) >>> 0
      const register = mixed & (registers - 1)
      const rank = Math.clz32((mixed & ~(registers - 1)) | (registers >> 1)) + 1
      if (rank > sketch[register]!) sketch[register] = rank
    }
  }

  /** The names with the most values, most first. */
  top(): readonly (readonly [name: string, values: number])[] {
    return Array.from(this.#sketches, ([name, sketch]) => [name, estimate(sketch)] as const)
      .sort((a, b) => b[1] - a[1])
      .slice(0, shown)
  }
}

/** HyperLogLog, with linear counting where many registers are empty. */
function estimate(sketch: Uint8Array): number {
  let sum = 0
  let empty = 0
  for (const rank of sketch) {
    sum += 2 ** -rank
    if (rank === 0) empty++
  }
  const raw = (bias * registers * registers) / sum
  return Math.round(raw <= 2.5 * registers && empty > 0 ? registers * Math.log(registers / empty) : raw)
}

/** Exports the names with most values as metrics; names that drop out of the top disappear. */
export function exposeCardinality(metrics: Metrics, cardinality: Cardinality): void {
  const help = 'About how many values the label names with the most values have, among series seen since the start.'
  let before: readonly string[] = []
  metrics.gauge('svc_metricsys_label_values', help, ['label'], gauge => {
    const top = new Map(cardinality.top())
    for (const label of before) if (!top.has(label)) gauge.set(0, { label })
    for (const [label, values] of top) gauge.set(values, { label })
    before = [...top.keys()]
  })
}
