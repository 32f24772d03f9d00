// What comes in and what is asked, a second, while the page is open.
import { useEffect, useState } from 'preact/hooks'
import { readMetrics, type Sample, total } from '../../api/metrics-text.ts'
import { Chart, type Line } from '../../components/chart/index.tsx'
import { Problem } from '../../components/problem.tsx'

const interval = 2000
const kept = 60

const rates: readonly (readonly [title: string, metric: string])[] = [
  ['rows written a second', 'svc_table_operator_ingest_rows'],
  ['requests a second', 'svc_servers_http_requests_total'],
  ['queries a second', 'svc_query_elapsed_count']
]

interface Reading {
  /** Seconds since 1970. */
  readonly time: number
  readonly samples: readonly Sample[]
}

export function Rates() {
  const [readings, setReadings] = useState<readonly Reading[]>([])
  const [error, setError] = useState<unknown>()
  useEffect(() => {
    let timer: number
    let gone = false
    const read = async () => {
      try {
        const samples = await readMetrics()
        if (gone) return
        setError(undefined)
        setReadings(before => [...before.slice(1 - kept), { time: Date.now() / 1000, samples }])
      } catch (reason) {
        if (!gone) setError(reason)
      }
      if (!gone) timer = window.setTimeout(read, interval)
    }
    void read()
    return () => {
      gone = true
      clearTimeout(timer)
    }
  }, [])
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

function rateOf(readings: readonly Reading[], name: string, metric: string): Line {
  const sums = readings.map(({ samples }) => total(samples, metric))
  const values = sums.slice(1).map((sum, i) => {
    const seconds = readings[i + 1]!.time - readings[i]!.time
    return Math.max(0, sum - sums[i]!) / seconds
  })
  return { name, times: readings.slice(1).map(({ time }) => time), values }
}

function memoryOf(readings: readonly Reading[]): Line {
  return {
    name: 'resident memory',
    times: readings.map(({ time }) => time),
    values: readings.map(({ samples }) => total(samples, 'process_resident_memory_bytes'))
  }
}
