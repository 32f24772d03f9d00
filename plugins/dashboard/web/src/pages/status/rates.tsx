// Rows, requests and queries a second, while the page is open.
import { readMetrics, type Sample, total } from '../../api/metrics-text.ts'
import { Chart, type Line } from '../../components/chart/index.tsx'
import { Problem } from '../../components/problem.tsx'
import { type Reading, ratesOf, useReadings } from '../../use-readings.ts'

const interval = 2000
const kept = 60

const rates: readonly (readonly [title: string, metric: string])[] = [
  ['rows written a second', 'svc_table_operator_ingest_rows'],
  ['requests a second', 'svc_servers_http_requests_total'],
  ['queries a second', 'svc_query_elapsed_count']
]

export function Rates() {
  const { readings, error } = useReadings(() => readMetrics(), interval, kept)
  const now = Math.round((readings.at(-1)?.time ?? Date.now() / 1000) * 1000)
  const span = { from: now - kept * interval, to: now }
  return (
    <div class="rates">
      {error !== undefined && <Problem error={error} />}
      {rates.map(([title, metric]) => (
        <section class="card" key={metric}>
          <Chart
            label={title}
            lines={[rateOf(readings, title, metric)]}
            span={span}
            height={140}
            unit="perSecond"
            short="last"
          />
        </section>
      ))}
      <section class="card">
        <Chart label="Memory" lines={[memoryOf(readings)]} span={span} height={140} unit="bytes" short="last" />
      </section>
    </div>
  )
}

function rateOf(readings: readonly Reading<readonly Sample[]>[], name: string, metric: string): Line {
  const values = ratesOf(readings, samples => total(samples, metric))
  return { name, times: readings.slice(1).map(({ time }) => time), values }
}

function memoryOf(readings: readonly Reading<readonly Sample[]>[]): Line {
  return {
    name: 'resident memory',
    times: readings.map(({ time }) => time),
    values: readings.map(({ value }) => total(value, 'process_resident_memory_bytes'))
  }
}
