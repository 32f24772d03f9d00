// What a pipeline may take, judged by its document: whether the server's own thread should run it.
import type { Version } from './runner.ts'

/** Bytes of a document from which on reading it alone is work for another thread. */
const longDocument = 16 * 1024
/** Bytes of input times the weight of the pipeline that take some 10 ms. */
const lightWork = 1 << 20
/** Of a step with a regular expression, which may look at all of a text for each match. */
const patternWeight = 512
/** Of the pipeline without steps: items are decoded and become columns. */
const plainWeight = 4

const weights = new WeakMap<Version, number>()

/** Whether a pipeline takes so many bytes in some 10 ms; undefined is the built-in one. Scripts may do anything. */
export function isLight(version: Version | undefined, bytes: number): boolean {
  return bytes * weightOf(version) <= lightWork
}

function weightOf(version: Version | undefined): number {
  if (version === undefined) return plainWeight
  const known = weights.get(version) ?? judge(version.yaml)
  weights.set(version, known)
  return known
}

function judge(yaml: string): number {
  // Dispatch leads to other documents.
  if (yaml.length > longDocument || /\b(?:vrl|dispatcher)\b/.test(yaml)) return Number.POSITIVE_INFINITY
  const patterns = yaml.match(/\b(?:regex|gsub)\b/g)?.length ?? 0
  const lines = yaml.match(/\n/g)?.length ?? 0
  return plainWeight + patterns * patternWeight + lines / 4
}
