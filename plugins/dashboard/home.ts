// The data of the first page: the server's state, and how much each plugin has received since the start.
import type { ComponentStatus, Core } from '../../core/index.ts'

interface Home {
  readonly version: string
  readonly ready: boolean
  /** Why the server is not ready. */
  readonly reason?: string
  /** Plugins and their components that are not ok. */
  readonly troubles: readonly ComponentStatus[]
  readonly uptime_seconds: number
  /** Rows written and bytes of requests by plugin, since the server started. */
  readonly written: readonly { readonly plugin: string; readonly rows: number; readonly bytes: number }[]
}

const rowsMetric = 'svc_table_operator_ingest_rows'
const bytesMetric = 'svc_servers_http_received_bytes_total'

export async function readHome(core: Core, version: string): Promise<Home> {
  const sums = new Map<string, { rows: number; bytes: number }>()
  for (const { name, labels, value } of await core.metrics.samples()) {
    const isRows = name === rowsMetric && labels['db'] !== 'svc_private'
    if (!isRows && name !== bytesMetric) continue
    const plugin = String(labels['plugin'])
    const sum = sums.get(plugin) ?? { rows: 0, bytes: 0 }
    sum[isRows ? 'rows' : 'bytes'] += value
    sums.set(plugin, sum)
  }
  const reason = core.whyNotReady()
  return {
    version,
    ready: reason === undefined,
    ...(reason !== undefined && { reason }),
    troubles: core.components.list().filter(({ state }) => state !== 'ok'),
    uptime_seconds: Math.floor((Date.now() - core.startedAt) / 1000),
    written: Array.from(sums, ([plugin, sum]) => ({ plugin, ...sum }))
      .filter(({ rows }) => rows > 0)
      .sort((a, b) => b.rows - a.rows)
  }
}
