// Texts of headers.
import type { IncomingHttpHeaders } from 'node:http'

/** A header as text, empty where it is missing. Node reads headers as Latin-1; clients write names in UTF-8. */
export function headerText(headers: IncomingHttpHeaders, name: string): string {
  return Buffer.from(String(headers[name] ?? ''), 'latin1').toString()
}
