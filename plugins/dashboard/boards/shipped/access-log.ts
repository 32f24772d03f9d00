// Dashboard of an access log with the columns that the example pipeline makes: time, ip, method, path, status, bytes, agent.
import type { Dialect } from '../../../../core/index.ts'
import type { ShippedBoard, ShippedPanel } from './panel.ts'

const froms: Readonly<Record<Dialect['name'], string>> = {
  duckdb: 'FROM "$table" WHERE time >= :from AND time < :to',
  clickhouse:
    'FROM "$table" WHERE time >= parseDateTime64BestEffort(:from, 3) AND time < parseDateTime64BestEffort(:to, 3)'
}
/** SQL that rounds a time down to the chart's interval. */
const steps: Readonly<Record<Dialect['name'], string>> = {
  duckdb: 'to_timestamp(floor(epoch(time) / $__interval_s) * $__interval_s) AS time',
  clickhouse: 'toStartOfInterval(time, toIntervalSecond($__interval_s)) AS time'
}

const panel = (
  title: string,
  kind: ShippedPanel['kind'],
  [width, height]: readonly [number, number],
  text: string,
  options: Partial<ShippedPanel> = {}
): ShippedPanel => ({
  ...{ title, kind, width, height },
  queries: [{ language: kind === 'logs' ? 'logs' : 'sql', text }],
  ...options
})

export function accessLog({ name }: Pick<Dialect, 'name'>): ShippedBoard & { readonly note: string } {
  const [from, step] = [froms[name], steps[name]]
  return {
    title: 'Access log',
    note: 'Needs a table with the columns time, ip, method, path, status and bytes, as weir demo makes one.',
    variables: [
      {
        name: 'table',
        kind: 'sql',
        query:
          "SELECT table_name FROM information_schema.columns WHERE table_schema = current_schema() AND column_name IN ('time', 'path', 'status', 'bytes') GROUP BY table_name HAVING count(*) = 4 ORDER BY table_name"
      }
    ],
    panels: [
      panel('Requests', 'stat', [6, 4], `SELECT count(*) ${from}`, { unit: 'count' }),
      panel('Share of errors', 'stat', [6, 4], `SELECT count(*) FILTER (WHERE status >= 500) / count(*) ${from}`, {
        unit: 'ratio'
      }),
      panel('Sent', 'stat', [6, 4], `SELECT sum(bytes) ${from}`, { unit: 'bytes' }),
      panel('Visitors', 'stat', [6, 4], `SELECT count(DISTINCT ip) ${from}`, { unit: 'count' }),
      panel(
        'Requests by status',
        'chart',
        [24, 8],
        `SELECT ${step}, concat(CAST(floor(status / 100) AS INT), 'xx') AS code, count(*) AS requests ${from} GROUP BY 1, 2 ORDER BY 1`,
        { style: 'bars', stacked: true }
      ),
      panel(
        'Paths',
        'table',
        [12, 10],
        `SELECT path, count(*) AS requests, count(*) FILTER (WHERE status >= 500) AS errors, round(avg(bytes)) AS bytes ${from} GROUP BY path ORDER BY requests DESC LIMIT 100`
      ),
      panel(
        'Visitors with most requests',
        'table',
        [12, 10],
        `SELECT ip, count(*) AS requests, sum(bytes) AS bytes ${from} GROUP BY ip ORDER BY requests DESC LIMIT 100`
      ),
      panel(
        'Failed requests',
        'table',
        [24, 10],
        `SELECT time, method, path, status, ip, agent ${from} AND status >= 500 ORDER BY time DESC LIMIT 200`
      )
    ]
  }
}
