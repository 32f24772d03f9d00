// Versions of stored documents, named by their creation time.
import { DbError, formatTimestamp, parseTimestamp, utc } from '../../core/compute.ts'

/** Version text: a UTC time without a zone. */
export function formatVersion(created: bigint): string {
  return formatTimestamp(created).replace('T', ' ').slice(0, -1)
}

/** Reads a version text, with or without `T`, `Z` or an offset. Throws DbError `InvalidArguments`. */
export function parseVersion(text: string): bigint {
  try {
    return parseTimestamp(text, utc)
  } catch (cause) {
    throw new DbError('InvalidArguments', `Invalid pipeline version format: ${text.slice(0, 60)}`, { cause })
  }
}

/** Nanoseconds since 1970, with the clock's resolution. */
export function currentTime(): bigint {
  const milliseconds = performance.timeOrigin + performance.now()
  const whole = Math.floor(milliseconds)
  return BigInt(whole) * 1_000_000n + BigInt(Math.floor((milliseconds - whole) * 1e6))
}
