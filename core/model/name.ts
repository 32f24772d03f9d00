// Names of databases, tables and columns.
import { shorten } from './shorten.ts'

/** Name of the time index in tables that protocols create. */
export const timeColumn = 'svc_timestamp'
/** Name of the value column in tables of metrics. */
export const valueColumn = 'svc_value'

const maxBytes = 255

/** Why a name is invalid: empty, more than 255 bytes of UTF-8, a NUL, or a lone surrogate; undefined if it is valid. */
export function nameProblem(what: 'database' | 'table' | 'column', name: string): string | undefined {
  if (typeof name !== 'string') return `the name of a ${what} is not text: ${String(name)}`
  const bytes = Buffer.byteLength(name)
  if (bytes === 0) return `the name of a ${what} is empty`
  if (bytes > maxBytes)
    return `the name of a ${what} has ${bytes} bytes, at most ${maxBytes} are allowed: ${shorten(name, 40)}`
  if (name.includes('\0')) return `the name of a ${what} holds a NUL character: ${JSON.stringify(name)}`
  return name.isWellFormed() ? undefined : `the name of a ${what} is not Unicode text: ${JSON.stringify(name)}`
}
