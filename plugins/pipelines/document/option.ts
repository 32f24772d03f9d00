// Typed access to the options of one processor in a document.
import { DbError } from '../../../core/compute.ts'
import type { ProcessorOptions } from '../../services.ts'
import { parseFields } from './field.ts'

/** `where` starts every message about these options, for example `processors[1] (dissect, line 7)`. */
export function readOptions(entries: ReadonlyMap<string, unknown>, where: string): ProcessorOptions {
  const error = (message: string) => new DbError('InvalidArguments', `${where}: ${message}`)
  const typed = <T>(key: string, is: (value: unknown) => value is T, expected: string): T | undefined => {
    const value = entries.get(key)
    if (value === undefined || value === null) return undefined
    if (!is(value)) throw error(`${key} must be ${expected}`)
    return value
  }
  const flag = (key: string) => typed(key, isBoolean, 'true or false')
  return {
    entries,
    fields: parseFields(entries, error),
    ignoreMissing: flag('ignore_missing') ?? false,
    text: key => typed(key, isText, 'a string'),
    texts: key => typed(key, isTexts, 'a list of strings'),
    flag,
    error
  }
}

function isBoolean(value: unknown): value is boolean {
  return typeof value === 'boolean'
}

function isText(value: unknown): value is string {
  return typeof value === 'string'
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every(isText)
}
