// What a request's headers say about logs.
import type { IncomingHttpHeaders } from 'node:http'

const defaultTable = 'telemetry_logs'

export interface LogsRequest {
  readonly table: string
  /** Attributes that get a column of their own, spelled as the header does. */
  readonly keys: readonly string[]
}

export function readLogsHeaders(headers: IncomingHttpHeaders): LogsRequest {
  const keys = text(headers, 'x-svc-log-extract-keys').split(',')
  return {
    table: text(headers, 'x-svc-log-table-name') || defaultTable,
    keys: [...new Set(keys.flatMap(key => key.trim() || []))]
  }
}

/** Node reads headers as Latin-1; clients write names in UTF-8. */
function text(headers: IncomingHttpHeaders, name: string): string {
  return Buffer.from(String(headers[name] ?? ''), 'latin1')
    .toString()
    .trim()
}
