// The headers of a request that affect traces.
import type { IncomingHttpHeaders } from 'node:http'
import { DbError, headerText } from '../../../core/index.ts'

const defaultTable = 'telemetry_traces'
const versions = ['svc_trace_v1', 'svc_trace_v0'] as const

interface TracesRequest {
  readonly table: string
  /** Whether attributes get columns of their own. */
  readonly flattened: boolean
}

/** Throws DbError `InvalidArguments` for an unknown trace pipeline and for invalid partitions. */
export function readTracesHeaders(headers: IncomingHttpHeaders): TracesRequest {
  const name = text(headers, 'x-svc-pipeline-name') || text(headers, 'x-svc-log-pipeline-name') || versions[0]
  if (!versions.some(version => version === name)) {
    throw new DbError('InvalidArguments', `pipeline ${name} is not one for traces, expected ${versions.join(' or ')}`)
  }
  checkPartitions(headers)
  return { table: text(headers, 'x-svc-trace-table-name') || defaultTable, flattened: name === versions[0] }
}

function text(headers: IncomingHttpHeaders, name: string): string {
  return headerText(headers, name).trim()
}

/** Tables are not partitioned, but invalid partition headers are refused. */
function checkPartitions(headers: IncomingHttpHeaders): void {
  const hints = /(?:^|,)\s*trace_table_partitions\s*=([^,]*)/.exec(String(headers['x-svc-hints'] ?? ''))
  const value = hints?.[1]?.trim() ?? text(headers, 'x-svc-hint-trace_table_partitions')
  if (value === '') return
  const count = /^\d{1,5}$/.test(value) ? Number(value) : Number.NaN
  const fits = count <= 65_536 && Number.isInteger(Math.log2(count || 1))
  if (fits) return
  throw new DbError(
    'InvalidArguments',
    `hint trace_table_partitions: expected 0 or a power of two up to 65536, got ${value}`
  )
}
