// The interface of schema checks, and their messages.
import { shorten } from '../../../../../core/compute.ts'
import type { Context } from '../../context.ts'
import { writeValue } from '../../text.ts'
import { isArray, isObject, type Value } from '../../value.ts'

/** A message telling what is wrong and where, or undefined. */
export type Check = (context: Context, value: Value, at: Location) => string | undefined

/** A location in the value, and how deep the check is nested: a schema may refer to itself. */
export interface Location {
  readonly path: string
  readonly depth: number
}

export interface Compiler {
  readonly ignoreFormats: boolean
  compile(schema: Value): Check
}

const maxShownLength = 200

/** A problem as messages say it. */
export function problem(value: Value, what: string, { path }: Location): string {
  const text = isObject(value) ? 'an object' : isArray(value) ? 'an array' : writeValue(value)
  const shown = shorten(text, maxShownLength)
  return `${shown} ${what} at ${path === '' ? '/' : path}`
}
