// Parameters of the query API: from the URL or a form, times and durations in the forms its clients use.
import type { FastifyRequest } from 'fastify'
import { DbError, firstValue, formOf, maxDate, type Parameters, shorten } from '../../../core/index.ts'
import type { PromqlService } from '../../services.ts'

export interface ApiParameters {
  /** The first value, the URL's before the form's; an empty one counts as absent. */
  one(name: string): string | undefined
  /** All values, the URL's first. */
  all(name: string): readonly string[]
}

export function parametersOf(request: FastifyRequest): ApiParameters {
  const form = formOf(request)
  const sources = [request.query as Parameters, ...(form === undefined ? [] : [form])]
  return {
    one: name => sources.map(source => firstValue(source, name)).find(value => value !== undefined && value !== ''),
    all: name => sources.flatMap(source => [source[name] ?? []].flat()).filter(value => value !== '')
  }
}

/** Milliseconds since 1970; undefined when absent. Throws DbError `InvalidArguments`. */
export function timeOf(parameters: ApiParameters, name: string): number | undefined {
  const text = parameters.one(name)
  if (text === undefined) return undefined
  const time = readTime(text)
  if (time !== undefined) return time
  throw invalidParameter(name, `cannot parse ${shown(text)} to a valid timestamp`)
}

export function requiredTime(parameters: ApiParameters, name: string): number {
  const time = timeOf(parameters, name)
  if (time === undefined) throw invalidParameter(name, `cannot parse "" to a valid timestamp`)
  return time
}

/** Characters of a time, a duration or a number; a client's parameter may be megabytes. */
const maxLength = 100

function shown(text: string): string {
  return JSON.stringify(shorten(text, maxLength))
}

function readTime(text: string): number | undefined {
  if (text.length > maxLength) return undefined
  const seconds = readSeconds(text)
  if (seconds !== undefined) return seconds
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/.test(text)) return undefined
  const time = Date.parse(text)
  return Number.isNaN(time) ? undefined : time
}

/** A duration in seconds or as `1h30m`, in milliseconds; undefined when absent. Throws DbError `InvalidArguments`. */
export function durationOf(promql: PromqlService, parameters: ApiParameters, name: string): number | undefined {
  const text = parameters.one(name)
  if (text === undefined) return undefined
  const milliseconds = text.length > maxLength ? undefined : (readSeconds(text) ?? promql.duration(text))
  if (milliseconds !== undefined) return milliseconds
  throw invalidParameter(name, `cannot parse ${shown(text)} to a valid duration`)
}

/** A number of seconds in milliseconds; undefined for other text and for times beyond a date. */
function readSeconds(text: string): number | undefined {
  if (!/^[+-]?(\d+(?:\.\d*)?|\.\d+)(e[+-]?\d+)?$/i.test(text)) return undefined
  const milliseconds = Math.round(Number(text) * 1_000)
  return Math.abs(milliseconds) <= maxDate ? milliseconds : undefined
}

/** The parameter `limit`; 0 means no limit. Throws DbError `InvalidArguments`. */
export function limitOf(parameters: ApiParameters, name = 'limit'): number {
  const text = parameters.one(name)
  if (text === undefined) return 0
  if (text.length <= maxLength && /^\d+$/.test(text)) return Number(text)
  throw invalidParameter(name, `${shown(text)} is not a number from 0 on`)
}

/** The error with Prometheus' wording. */
export function invalidParameter(name: string, reason: string): DbError {
  return new DbError('InvalidArguments', `invalid parameter "${name}": ${reason}`)
}
