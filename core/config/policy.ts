// What a write does when the memory budget of request bodies is used up.
import { parseDuration } from './units.ts'

/** Milliseconds a request waits under a `write_bytes_exhausted_policy`: `wait` is 10 s, `fail` is 0. Undefined for other texts. */
export function exhaustedWait(policy: string): number | undefined {
  const text = policy.trim().toLowerCase()
  if (text === 'wait') return 10_000
  if (text === 'fail') return 0
  const match = /^wait\((.*)\)$/.exec(text)
  return match ? parseDuration(match[1]!) : undefined
}
