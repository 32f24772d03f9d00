// Parameters of the query API: from the URL or a form, times and durations in the forms its clients use.
import type { FastifyRequest } from 'fastify'
import { DbError, firstValue, type Parameters } from '../../../core/index.ts'

export interface ApiParameters {
  /** The first value, the URL's before the form's; an empty one counts as absent. */
  one(name: string): string | undefined
  /** All values, the URL's first. */
  all(name: string): readonly string[]
}

export function parametersOf({ query, body }: FastifyRequest): ApiParameters {
  const sources = [query as Parameters, ...(isForm(body) ? [body] : [])]
  return {
    one: name => sources.map(source => firstValue(source, name)).find(value => value !== undefined && value !== ''),
    all: name => sources.flatMap(source => [source[name] ?? []].flat()).filter(value => value !== '')
  }
}

function isForm(body: unknown): body is Parameters {
  return typeof body === 'object' && body !== null && !Buffer.isBuffer(body)
}

/** Milliseconds since 1970; undefined when absent. Throws DbError `InvalidArguments`. */
export function timeOf(parameters: ApiParameters, name: string): number | undefined {
  const text = parameters.one(name)
  if (text === undefined) return undefined
  const time = readTime(text)
  if (time !== undefined) return time
  throw invalid(name, `cannot parse ${JSON.stringify(text)} to a valid timestamp`)
}

export function requiredTime(parameters: ApiParameters, name: string): number {
  const time = timeOf(parameters, name)
  if (time === undefined) throw invalid(name, `cannot parse "" to a valid timestamp`)
  return time
}

function readTime(text: string): number | undefined {
  if (/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text)) return Math.round(Number(text) * 1_000)
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/.test(text)) return undefined
  const time = Date.parse(text)
  return Number.isNaN(time) ? undefined : time
}

/** Milliseconds; undefined when absent. Throws DbError `InvalidArguments`. */
export function durationOf(parameters: ApiParameters, name: string): number | undefined {
  const text = parameters.one(name)
  if (text === undefined) return undefined
  const milliseconds = readDuration(text)
  if (milliseconds !== undefined) return milliseconds
  throw invalid(name, `cannot parse ${JSON.stringify(text)} to a valid duration`)
}

const unitMilliseconds: Readonly<Record<string, number>> = {
  y: 31_536_000_000,
  w: 604_800_000,
  d: 86_400_000,
  h: 3_600_000,
  m: 60_000,
  s: 1_000,
  ms: 1
}

function readDuration(text: string): number | undefined {
  if (/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text)) return Math.round(Number(text) * 1_000)
  if (!/^(\d+y)?(\d+w)?(\d+d)?(\d+h)?(\d+m(?!s))?(\d+s)?(\d+ms)?$/.test(text)) return undefined
  let sum = 0
  for (const [, count, unit] of text.matchAll(/(\d+)(ms|[ywdhms])/g)) sum += Number(count) * unitMilliseconds[unit!]!
  return sum
}

/** At most so many; 0 is no limit. Throws DbError `InvalidArguments`. */
export function limitOf(parameters: ApiParameters, name = 'limit'): number {
  const text = parameters.one(name)
  if (text === undefined) return 0
  if (/^\d+$/.test(text)) return Number(text)
  throw invalid(name, `${JSON.stringify(text)} is not a number from 0 on`)
}

/** In the words the clients of this API know. */
export function invalid(name: string, reason: string): DbError {
  return new DbError('InvalidArguments', `invalid parameter "${name}": ${reason}`)
}
