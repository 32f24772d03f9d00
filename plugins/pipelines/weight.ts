// What a pipeline may take, judged by its document: whether the server's own thread runs it.
import type { Version } from './runner.ts'

/** Bytes of a document from which on reading it alone is work for another thread. */
const longDocument = 16 * 1024
/** Bytes of input times the weight of the pipeline that take some 10 ms. */
const maxLightWork = 1 << 20
/** Of a step with a regular expression, which may look at all of a text for each match. */
const patternWeight = 512
/** Of the pipeline without steps: items are decoded and become columns. */
const plainWeight = 4

const weights = new WeakMap<Version, number>()

/** Whether a pipeline takes so many bytes in some 10 ms; undefined is the built-in one. Processors of the `added` kinds may do anything. */
export function isLight(version: Version | undefined, bytes: number, added: readonly string[]): boolean {
  return bytes * weightOf(version, added) <= maxLightWork
}

function weightOf(version: Version | undefined, added: readonly string[]): number {
  if (version === undefined) return plainWeight
  const known = weights.get(version) ?? judge(version.yaml, added)
  weights.set(version, known)
  return known
}

function judge(yaml: string, added: readonly string[]): number {
  // Dispatch leads to other documents.
  const isOpen = ['dispatcher', ...added].some(word => yaml.includes(word))
  if (yaml.length > longDocument || isOpen) return Number.POSITIVE_INFINITY
  const patterns = yaml.match(/\b(?:regex|gsub)\b/g)?.length ?? 0
  const lines = yaml.match(/\n/g)?.length ?? 0
  return plainWeight + patterns * patternWeight + lines / 4
}
