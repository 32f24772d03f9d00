// Parameters of a search. Times are microseconds in the URL, nanoseconds here.
import { DbError, firstValue, type Parameters } from '../../core/index.ts'
import { parseDuration } from './duration.ts'
import { invalidParameter } from './errors.ts'

export interface TimeRange {
  /** Nanoseconds since 1970; the end is exclusive. */
  readonly from?: bigint
  readonly to?: bigint
}

export interface Search extends TimeRange {
  readonly service: string
  readonly operation?: string
  readonly tags: readonly (readonly [key: string, value: string])[]
  /** Nanoseconds. */
  readonly longest?: bigint
  readonly shortest?: bigint
  readonly limit: number
}

export interface SearchLimits {
  readonly max_traces: number
  /** Milliseconds. */
  readonly lookback: number
}

const usualLimit = 100

/** Throws DbError `InvalidArguments` naming the parameter. */
export function readSearch(query: Parameters, now: number, limits: SearchLimits): Search {
  const service = one(query, 'service')
  if (service === undefined) throw new DbError('InvalidArguments', "parameter 'service' is required")
  const operation = one(query, 'operation')
  const shortest = durationOf(query, 'minDuration')
  const longest = durationOf(query, 'maxDuration')
  if (shortest !== undefined && longest !== undefined && longest < shortest) {
    throw new DbError('InvalidArguments', "'maxDuration' should be greater than 'minDuration'")
  }
  return {
    service,
    ...(operation !== undefined && { operation }),
    tags: [...jsonTags(query), ...pairTags(query)],
    ...(shortest !== undefined && { shortest }),
    ...(longest !== undefined && { longest }),
    ...searchRange(query, now, limits),
    limit: limitOf(query, limits.max_traces)
  }
}

/** The range of `start` and `end`, as far as given. */
export function readRange(query: Parameters): TimeRange {
  const from = timeOf(query, 'start')
  const end = timeOf(query, 'end')
  return { ...(from !== undefined && { from }), ...(end !== undefined && { to: end + 1000n }) }
}

/** All values of a repeated parameter such as `traceID`. */
export function allValues(query: Parameters, name: string): readonly string[] {
  return [query[name] ?? []].flat().filter(value => value !== '')
}

/** Lower-case hexadecimal, padded to 32 digits. Throws DbError `InvalidArguments`. */
export function readTraceId(text: string): string {
  if (!/^[0-9a-f]{1,32}$/i.test(text))
    throw invalidParameter('traceID', `${JSON.stringify(text)} is not 1 to 32 hexadecimal digits`)
  return text.toLowerCase().padStart(32, '0')
}

function searchRange(query: Parameters, now: number, { lookback }: SearchLimits): { from: bigint; to: bigint } {
  const { from, to = BigInt(now + 1) * 1_000_000n } = readRange(query)
  if (from !== undefined) return { from, to }
  const asked = one(query, 'lookback')
  const back = asked === undefined || asked === 'custom' ? BigInt(lookback) * 1_000_000n : parseDuration(asked)
  if (back === undefined) throw invalidParameter('lookback', `${JSON.stringify(asked)} is not a duration such as 1h`)
  return { from: to - back, to }
}

function limitOf(query: Parameters, max: number): number {
  const text = one(query, 'limit')
  if (text === undefined) return Math.min(usualLimit, max)
  const limit = /^\d{1,9}$/.test(text) ? Number(text) : 0
  if (limit === 0) throw invalidParameter('limit', `${JSON.stringify(text)} is not a number from 1 on`)
  if (limit > max) throw invalidParameter('limit', `${limit} is more than ${max} (plugins.jaeger.max_traces)`)
  return limit
}

function jsonTags(query: Parameters): (readonly [string, string])[] {
  return allValues(query, 'tags').flatMap(text => {
    let tags: unknown
    try {
      tags = JSON.parse(text)
    } catch {
      // Said below.
    }
    const isObject = typeof tags === 'object' && tags !== null && !Array.isArray(tags)
    if (!isObject)
      throw invalidParameter('tags', `${JSON.stringify(text)} is not a JSON object such as {"error":"true"}`)
    return Object.entries(tags as object).map(([key, value]) => {
      if (typeof value === 'object') throw invalidParameter('tags', `the value of ${JSON.stringify(key)} is not a text`)
      return [key, String(value)] as const
    })
  })
}

function pairTags(query: Parameters): (readonly [string, string])[] {
  return allValues(query, 'tag').map(text => {
    const colon = text.indexOf(':')
    if (colon < 0) throw invalidParameter('tag', `${JSON.stringify(text)} is not of the form key:value`)
    return [text.slice(0, colon), text.slice(colon + 1)]
  })
}

function timeOf(query: Parameters, name: string): bigint | undefined {
  const text = one(query, name)
  if (text === undefined) return undefined
  if (!/^\d{1,16}$/.test(text))
    throw invalidParameter(name, `${JSON.stringify(text)} is not a time in microseconds since 1970`)
  const time = BigInt(text) * 1000n
  if (time >= 2n ** 63n - 1000n) throw invalidParameter(name, `${text} is after the year 2262`)
  return time
}

function durationOf(query: Parameters, name: string): bigint | undefined {
  const text = one(query, name)
  if (text === undefined) return undefined
  const found = parseDuration(text)
  if (found === undefined)
    throw invalidParameter(name, `${JSON.stringify(text)} is not a duration such as 1.5s or 100ms`)
  return found
}

/** An empty value counts as absent. */
export function one(query: Parameters, name: string): string | undefined {
  return firstValue(query, name) || undefined
}
