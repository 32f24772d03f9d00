// Words for units of time in documents.
import type { TimeUnit } from '../../../core/compute.ts'

const words: Readonly<Record<string, TimeUnit>> = {
  s: 's',
  sec: 's',
  second: 's',
  ms: 'ms',
  milli: 'ms',
  millisecond: 'ms',
  us: 'us',
  micro: 'us',
  microsecond: 'us',
  ns: 'ns',
  nano: 'ns',
  nanosecond: 'ns'
}

/** The unit a word means, in any case; undefined when it is none. */
export function parseResolution(word: string): TimeUnit | undefined {
  const key = word.trim().toLowerCase()
  return Object.hasOwn(words, key) ? words[key] : undefined
}
