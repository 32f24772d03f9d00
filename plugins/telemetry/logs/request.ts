// The headers of a request that affect logs.
import type { IncomingHttpHeaders } from 'node:http'
import { DbError, headerText } from '../../../core/index.ts'

const defaultTable = 'telemetry_logs'

interface LogsRequest {
  readonly table: string
  /** Attributes to store as columns, spelled as in the header. */
  readonly keys: readonly string[]
}

/** Throws DbError `InvalidArguments` for more than `maxKeys` keys. */
export function readLogsHeaders(headers: IncomingHttpHeaders, maxKeys: number): LogsRequest {
  const written = headerText(headers, 'x-svc-log-extract-keys').split(',')
  const keys = [...new Set(written.flatMap(key => key.trim() || []))]
  if (keys.length > maxKeys) {
    const reason = `${keys.length} keys are more than ${maxKeys} (plugins.telemetry.max_extract_keys)`
    throw new DbError('InvalidArguments', `header x-svc-log-extract-keys: ${reason}`)
  }
  return { table: headerText(headers, 'x-svc-log-table-name').trim() || defaultTable, keys }
}
