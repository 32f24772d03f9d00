// Estimates the processor time of a pipeline from its document, to decide whether the main thread runs it.
import type { ItemBatch, ItemValue } from '../../core/index.ts'
import type { Version } from './runner.ts'

/** Documents of at least this many bytes are compiled in a thread. */
const longDocument = 16 * 1024
/** Bytes of input times the weight of the pipeline that take some 10 ms. */
const maxLightWork = 1 << 20
/** Bytes of decoded items that the main thread takes: they cost time that the bytes of their text do not tell. */
export const maxLightMemory = 2 << 20
/** Values nested in items that the main thread takes. */
const maxLightValues = 10_000
/** Weight of a step with a regular expression, which may scan a whole text for each match. */
const patternWeight = 512
/** Weight of a pipeline without processors: decoding, and building columns. */
const plainWeight = 4

const weights = new WeakMap<Version, number>()

/** Whether a pipeline processes this many bytes in some 10 ms; undefined: the built-in pipeline. False for processors of the `added` kinds, whose cost is unknown. */
export function isLight(version: Version | undefined, bytes: number, added: readonly string[]): boolean {
  return bytes * weightOf(version, added) <= maxLightWork
}

/** Whether items are little enough for the main thread, whatever their pipeline. */
export function areLight(items: ItemBatch): boolean {
  return items.memory <= maxLightMemory && hasFewValues(items)
}

function hasFewValues({ fields }: ItemBatch): boolean {
  const waiting: ItemValue[] = []
  let left = maxLightValues
  for (const { objects = [] } of fields.values()) {
    for (const object of objects) {
      if (object !== undefined) waiting.push(object)
      for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
        if (left-- === 0) return false
        if (typeof next !== 'object' || next === null) continue
        for (const each of Object.values(next) as ItemValue[]) waiting.push(each)
        if (waiting.length > left) return false
      }
    }
  }
  return true
}

function weightOf(version: Version | undefined, added: readonly string[]): number {
  if (version === undefined) return plainWeight
  const known = weights.get(version) ?? judge(version.yaml, added)
  weights.set(version, known)
  return known
}

function judge(yaml: string, added: readonly string[]): number {
  // A dispatcher runs other pipelines, whose weight is unknown.
  const isOpen = ['dispatcher', ...added].some(word => yaml.includes(word))
  if (yaml.length > longDocument || isOpen) return Number.POSITIVE_INFINITY
  const patterns = yaml.match(/\b(?:regex|gsub)\b/g)?.length ?? 0
  const lines = yaml.match(/\n/g)?.length ?? 0
  return plainWeight + patterns * patternWeight + lines / 4
}
