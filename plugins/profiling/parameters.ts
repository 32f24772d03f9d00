// Parameters of a profile, checked strictly, because a wrong profile wastes a minute.
import { DbError, firstValue, formatDuration, type Parameters } from '../../core/index.ts'
import type { CpuOptions } from './cpu/record.ts'

const outputs = ['proto', 'text', 'flamegraph'] as const

export type Output = (typeof outputs)[number]

/** Parses `output`; throws DbError for an unknown one. */
export function readOutput(query: Parameters, standard: Output): Output {
  const text = firstValue(query, 'output') ?? standard
  const output = outputs.find(name => name === text.toLowerCase())
  if (output !== undefined) return output
  throw new DbError('InvalidArguments', `output ${JSON.stringify(text)} is unknown, expected ${outputs.join(', ')}`)
}

export interface CpuLimits {
  /** Milliseconds. */
  readonly max_duration: number
  /** Samples per second. */
  readonly max_frequency: number
}

/** Parses `seconds` and `frequency`; throws DbError for invalid numbers, or numbers beyond the limits. */
export function readCpuOptions(query: Parameters, limits: CpuLimits): CpuOptions {
  const seconds = readNumber(query, 'seconds', Math.min(5, limits.max_duration / 1000))
  if (seconds * 1000 > limits.max_duration) {
    const max = `${formatDuration(limits.max_duration)} (plugins.profiling.max_duration)`
    throw new DbError('InvalidArguments', `seconds is ${seconds}, a profile takes at most ${max}`)
  }
  const frequency = readNumber(query, 'frequency', Math.min(99, limits.max_frequency))
  if (!Number.isInteger(frequency) || frequency > limits.max_frequency) {
    const range = `a whole number of samples a second, 1 to ${limits.max_frequency} (plugins.profiling.max_frequency)`
    throw new DbError('InvalidArguments', `frequency is ${frequency}, expected ${range}`)
  }
  return { seconds, frequency }
}

function readNumber(query: Parameters, name: string, standard: number): number {
  const text = firstValue(query, name)
  if (text === undefined) return standard
  const value = /^\d{1,9}(\.\d{1,9})?$/.test(text) ? Number(text) : 0
  if (value > 0) return value
  throw new DbError('InvalidArguments', `${name} is ${JSON.stringify(text)}, expected a number above 0`)
}

/** Parses `activate`, from a form or the query; throws DbError unless it is `true` or `false`. */
export function readActivate(form: Parameters, query: Parameters): boolean {
  const text = firstValue(form, 'activate') ?? firstValue(query, 'activate')
  if (text === 'true') return true
  if (text === 'false') return false
  const found = text === undefined ? 'is missing' : `is ${JSON.stringify(text)}`
  throw new DbError('InvalidArguments', `the form field activate ${found}, expected true or false`)
}
