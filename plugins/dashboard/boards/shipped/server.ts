// Dashboard of this server, from its own metrics and log, which `enable_telemetry = true` stores.
import { chart, row, type ShippedBoard, stat } from './panel.ts'

const rate = (metric: string, by: string) => `sum by (${by}) (rate(${metric}[$__rate_interval]))`
const quantile = (share: number, metric: string, by = 'le') =>
  `histogram_quantile(${share}, sum by (${by}) (rate(${metric}_bucket[$__rate_interval])))`

export const serverItself: ShippedBoard & { readonly note: string } = {
  title: 'This server',
  note: 'The server keeps its own metrics when enable_telemetry = true stands in its configuration.',
  db: 'svc_private',
  variables: [],
  panels: [
    stat('Rows a second', 'sum(rate(svc_table_operator_ingest_rows[$__rate_interval]))', { unit: 'perSecond' }),
    stat('Requests a second', 'sum(rate(svc_servers_http_requests_total[$__rate_interval]))', { unit: 'perSecond' }),
    stat('On disk', 'sum(svc_storage_files_bytes)', { unit: 'bytes' }),
    stat('Resident memory', 'process_resident_memory_bytes', { unit: 'bytes' }),
    row('What comes in'),
    chart(
      'Rows by plugin',
      { [rate('svc_table_operator_ingest_rows', 'plugin')]: '{{plugin}}' },
      { unit: 'perSecond' }
    ),
    chart(
      'Bytes by plugin',
      { [rate('svc_servers_http_received_bytes_total', 'plugin')]: '{{plugin}}' },
      { unit: 'bytesPerSecond' }
    ),
    chart(
      'Requests by plugin',
      { [rate('svc_servers_http_requests_total', 'plugin')]: '{{plugin}}' },
      { unit: 'perSecond' }
    ),
    chart('Errors', { [rate('svc_servers_error', 'plugin, code')]: '{{plugin}} {{code}}' }, { unit: 'perSecond' }),
    row('What it costs'),
    chart(
      'Time of writes',
      { [quantile(0.5, 'svc_storage_write_seconds')]: 'half', [quantile(0.99, 'svc_storage_write_seconds')]: '99 %' },
      { unit: 'seconds' }
    ),
    chart(
      'Time of queries, 99 %',
      { [quantile(0.99, 'svc_query_elapsed', 'le, kind')]: '{{kind}}' },
      { unit: 'seconds' }
    ),
    chart(
      'Memory',
      { process_resident_memory_bytes: 'resident', 'sum(svc_storage_memtable_bytes)': 'rows in memory' },
      { unit: 'bytes' }
    ),
    chart('Processor', { 'rate(process_cpu_seconds_total[$__rate_interval])': 'cores' }),
    row('Rules'),
    chart('Alerts', { 'sum by (state) (svc_alerting_alerts)': '{{state}}' }, { style: 'area', stacked: true }),
    chart('Evaluations', { [rate('svc_alerting_evaluations_total', 'result')]: '{{result}}' }, { unit: 'perSecond' })
  ]
}
