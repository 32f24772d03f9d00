// Dashboard of machines, from the metrics of the Prometheus node exporter.
import { chart, row, type ShippedBoard, stat } from './panel.ts'

const of = '{instance=~"$instance"}'
const idle = '{instance=~"$instance",mode="idle"}'
const disks = '{instance=~"$instance",fstype!~"tmpfs|overlay|squashfs|ramfs"}'

export const nodeExporter: ShippedBoard & { readonly note: string } = {
  title: 'Machines (node exporter)',
  note: 'Needs metrics of the node exporter, node_….',
  variables: [
    { name: 'instance', kind: 'promql', query: 'label_values(node_uname_info, instance)', multi: true, all: true }
  ],
  panels: [
    stat('Processor', `1 - avg(rate(node_cpu_seconds_total${idle}[$__rate_interval]))`, { unit: 'ratio' }),
    stat('Memory', `1 - sum(node_memory_MemAvailable_bytes${of}) / sum(node_memory_MemTotal_bytes${of})`, {
      unit: 'ratio'
    }),
    stat('Fullest disk', `max(1 - node_filesystem_avail_bytes${disks} / node_filesystem_size_bytes${disks})`, {
      unit: 'ratio'
    }),
    stat('Machines', `count(node_uname_info${of})`),
    row('Processor and memory'),
    chart(
      'Processor by machine',
      { [`1 - avg by (instance) (rate(node_cpu_seconds_total${idle}[$__rate_interval]))`]: '{{instance}}' },
      { unit: 'ratio' }
    ),
    chart('Load of one minute', { [`node_load1${of}`]: '{{instance}}' }),
    chart(
      'Memory in use',
      { [`node_memory_MemTotal_bytes${of} - node_memory_MemAvailable_bytes${of}`]: '{{instance}}' },
      { unit: 'bytes' }
    ),
    chart(
      'Context switches',
      { [`rate(node_context_switches_total${of}[$__rate_interval])`]: '{{instance}}' },
      { unit: 'perSecond' }
    ),
    row('Disks and network'),
    chart(
      'Disks in use',
      {
        [`1 - node_filesystem_avail_bytes${disks} / node_filesystem_size_bytes${disks}`]: '{{instance}} {{mountpoint}}'
      },
      { unit: 'ratio' }
    ),
    chart(
      'Read and written',
      {
        [`sum by (instance) (rate(node_disk_read_bytes_total${of}[$__rate_interval]))`]: '{{instance}} read',
        [`sum by (instance) (rate(node_disk_written_bytes_total${of}[$__rate_interval]))`]: '{{instance}} written'
      },
      { unit: 'bytesPerSecond' }
    ),
    chart(
      'Network in',
      { [`sum by (instance) (rate(node_network_receive_bytes_total${of}[$__rate_interval]))`]: '{{instance}}' },
      { unit: 'bytesPerSecond' }
    ),
    chart(
      'Network out',
      { [`sum by (instance) (rate(node_network_transmit_bytes_total${of}[$__rate_interval]))`]: '{{instance}}' },
      { unit: 'bytesPerSecond' }
    )
  ]
}
