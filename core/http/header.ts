// Header values as text.
import type { IncomingHttpHeaders } from 'node:http'

/** The text of a header; empty if it is missing. Decodes UTF-8, which clients send, from the Latin-1 that Node reads. */
export function headerText(headers: IncomingHttpHeaders, name: string): string {
  return Buffer.from(String(headers[name] ?? ''), 'latin1').toString()
}
