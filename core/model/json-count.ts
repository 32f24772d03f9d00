// Counts the values of JSON text before it is parsed, because a value of one byte takes fifty or more in memory.
import { DbError } from '../errors.ts'
import type { Steps } from '../pace.ts'

/** Bytes handled between two yields to other requests. */
const stepBytes = 1 << 18

const [quote, backslash, comma, array, object] = [0x22, 0x5c, 0x2c, 0x5b, 0x7b] as const

/**
 * Throws DbError `InvalidArguments` with status 413 for JSON (or lines of it) of more than `max` values; 0 means no limit. Each array and object
 * counts as one, and each comma as one more. Invalid JSON is not an error here.
 */
export function* checkJsonValues(json: Uint8Array, max: number): Steps<void> {
  // A value takes at least one byte, so short bodies need no counting.
  if (max > 0 && json.length >= max && (yield* countJsonValues(json, max)) > max) throw tooManyValues(max)
}

/** The error for a body with too many values or lines: DbError `InvalidArguments` with status 413, naming `http.max_body_values`. */
export function tooManyValues(max: number): DbError {
  const reason = `the body has more than ${max} values (http.max_body_values)`
  return new DbError('InvalidArguments', `${reason}: send less at a time`, { status: 413 })
}

/** The number of values in JSON or lines of JSON; any number above `max` if there are more than `max`. */
export function* countJsonValues(json: Uint8Array, max: number): Steps<number> {
  let count = 1
  for (let i = 0, end = stepBytes; i < json.length && count <= max; i++) {
    if (i >= end) {
      end = i + stepBytes
      yield
    }
    const byte = json[i]!
    if (byte === comma || byte === array || byte === object) count++
    else if (byte === quote) {
      for (i++; i < json.length && json[i] !== quote; i++) {
        if (json[i] === backslash) i++
        if (i < end) continue
        end = i + stepBytes
        yield
      }
    }
  }
  return count
}
