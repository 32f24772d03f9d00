// Estimates the processor time of a pipeline from its document, to decide whether the main thread runs it.
import { type ItemBatch, type ItemValue, isDbError, RegexBudget } from '../../core/index.ts'
import { parseDocument } from './document/document.ts'
import type { Version } from './runner.ts'

/** Documents of at least this many characters are read and compiled in a thread: YAML takes up to 7 ms for each thousand. */
export const longDocument = 4 * 1024
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
        // Keys are counted first: the values of an object of many take several times as long.
        const count = Array.isArray(next) ? next.length : Object.keys(next).length
        if (waiting.length + count > left) return false
        for (const each of Object.values(next) as ItemValue[]) waiting.push(each)
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
  if (yaml.length > longDocument || isOpen || isHardToCompile(yaml)) return Number.POSITIVE_INFINITY
  const patterns = yaml.match(/\b(?:regex|gsub)\b/g)?.length ?? 0
  const lines = yaml.match(/\n/g)?.length ?? 0
  return plainWeight + patterns * patternWeight + lines / 4
}

/** A text that is compiled quickly, if it is a regular expression at all. */
const plainText = /^[\w .,:%/-]*$/

/** The beginning of a filter in a JSONPath, whose texts may be regular expressions with escapes of their own. */
const filter = /[[,]\s*\?/

/** Whether the texts of its processors, as regular expressions, would take long to compile. Aliases may name one text a hundred times. */
function isHardToCompile(yaml: string): boolean {
  const budget = new RegexBudget()
  let hasFilter = false
  const take = (value: unknown, isInList: boolean) => {
    if (typeof value === 'string') hasFilter ||= filter.test(value)
    if (typeof value === 'string' && (isInList || !plainText.test(value))) budget.take(value)
    if (Array.isArray(value)) for (const each of value) take(each, true)
    if (value instanceof Map) for (const each of value.values()) take(each, false)
  }
  try {
    for (const { value } of parseDocument(yaml).processors) take(value, false)
    return hasFilter
  } catch (error) {
    if (!isDbError(error)) throw error
    return true
  }
}
