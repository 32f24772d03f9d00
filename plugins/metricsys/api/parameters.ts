// Parameters of the query API: from the URL or a form, times and durations in the forms its clients use.
import type { FastifyRequest } from 'fastify'
import { DbError, firstValue, formOf, type Parameters } from '../../../core/index.ts'
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
  throw invalid(name, `cannot parse ${JSON.stringify(text)} to a valid timestamp`)
}

export function requiredTime(parameters: ApiParameters, name: string): number {
  const time = timeOf(parameters, name)
  if (time === undefined) throw invalid(name, `cannot parse "" to a valid timestamp`)
  return time
}

function readTime(text: string): number | undefined {
  const seconds = readSeconds(text)
  if (seconds !== undefined) return seconds
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/.test(text)) return undefined
  const time = Date.parse(text)
  return Number.isNaN(time) ? undefined : time
}

/** Milliseconds before and after 1970 that dates reach. */
const maxTime = 8.64e15

/** Milliseconds, of seconds or of a duration as queries write it; undefined when absent. Throws DbError `InvalidArguments`. */
export function durationOf(promql: PromqlService, parameters: ApiParameters, name: string): number | undefined {
  const text = parameters.one(name)
  if (text === undefined) return undefined
  const milliseconds = readSeconds(text) ?? promql.duration(text)
  if (milliseconds !== undefined) return milliseconds
  throw invalid(name, `cannot parse ${JSON.stringify(text)} to a valid duration`)
}

/** Seconds as a number, in milliseconds; undefined for what is none, or no date has. */
function readSeconds(text: string): number | undefined {
  if (!/^[+-]?(\d+(?:\.\d*)?|\.\d+)(e[+-]?\d+)?$/i.test(text)) return undefined
  const milliseconds = Math.round(Number(text) * 1_000)
  return Math.abs(milliseconds) <= maxTime ? milliseconds : undefined
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
