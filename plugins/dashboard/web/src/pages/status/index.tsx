// Status of the server: rates, memory, plugins, slow queries, configuration. Most of it comes from the main server only.
import { useEffect } from 'preact/hooks'
import { hasOwnTable } from '../../api/catalog.ts'
import { ApiError, json, send } from '../../api/http.ts'
import { rowsOf } from '../../api/sql.ts'
import { Problem } from '../../components/problem.tsx'
import { Refresh } from '../../components/refresh.tsx'
import { TableHead } from '../../components/table-head.tsx'
import { type Tile, Tiles } from '../../components/tiles.tsx'
import { useLoaded } from '../../task.ts'
import { formatBytes, formatDuration, formatTime, refresh, timeWords } from '../../time.ts'
import { countOf } from '../../words.ts'
import { type Plugin, Plugins } from './plugins.tsx'
import { Rates } from './rates.tsx'
import './status.css'

interface State {
  readonly version: string
  readonly commit: string
  readonly hostname: string
  readonly node_version: string
  readonly uptime_seconds: number
  readonly ready: boolean
  readonly memory: { readonly rss: number; readonly heap_used: number }
  readonly data: { readonly tables: number; readonly rows: number; readonly files: number; readonly bytes: number }
  readonly plugins: readonly Plugin[]
}

/** Milliseconds. */
const retry = 2000

export default function Status() {
  const { value, error } = useLoaded(signal => json<State>('/status', { db: null, signal }), [timeWords.value])
  // While the server is away, it is polled until it answers.
  useEffect(() => {
    if (!isAway(error)) return undefined
    const timer = setTimeout(refresh, retry)
    return () => clearTimeout(timer)
  }, [error, timeWords.value])
  if (error instanceof ApiError && error.status === 404) {
    return (
      <>
        <h1>Status</h1>
        <p class="empty">The state of the server is shown by its main address only, which is not this one.</p>
      </>
    )
  }
  return (
    <>
      <div class="bar">
        <h1>Status</h1>
        <span class="space" />
        <Refresh />
      </div>
      {error !== undefined && <Problem error={error} />}
      {isAway(error) && <p role="status">Trying again …</p>}
      {value && error === undefined && <Tiles tiles={tilesOf(value)} />}
      {value && <Rates />}
      <SlowQueries />
      {value && <Plugins plugins={value.plugins} />}
      <Configuration />
    </>
  )
}

function isAway(error: unknown): boolean {
  return error instanceof ApiError && error.status === 0
}

function tilesOf(state: State): readonly Tile[] {
  const { version, commit, hostname, node_version, uptime_seconds, ready, memory, data } = state
  return [
    ['Server', ready ? 'ready' : 'starting', `${hostname}, up ${formatDuration(uptime_seconds * 1000)}`],
    ['Version', version, `${commit ? `${commit.slice(0, 8)}, ` : ''}Node ${node_version}`],
    ['Memory', formatBytes(memory.rss), `${formatBytes(memory.heap_used)} in the heap`],
    ['Rows', data.rows.toLocaleString('en'), `in ${countOf(data.tables, 'table')}`],
    ['At rest', formatBytes(data.bytes), `in ${countOf(data.files, 'file')}`]
  ]
}

interface Slow {
  readonly timestamp: number
  readonly cost: number
  readonly query: string
}

function SlowQueries() {
  const { value, error } = useLoaded(loadSlowQueries, [timeWords.value])
  return (
    <section class="card stack">
      <h2>Slow queries</h2>
      {error !== undefined && <Problem error={error} />}
      {value?.length === 0 && (
        <p class="quiet">None took longer than slow_query.threshold, or they are not kept in a table.</p>
      )}
      {value !== undefined && value.length > 0 && (
        <table class="plain">
          <TableHead titles={['When', 'Took', 'Query']} />
          <tbody>
            {value.map(({ timestamp, cost, query }, i) => (
              <tr key={i}>
                <td class="whole">{formatTime(Number(timestamp) / 1e6)}</td>
                <td class="whole">{formatDuration(cost)}</td>
                <td class="mono">{query}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  )
}

async function loadSlowQueries(signal: AbortSignal): Promise<Slow[]> {
  if (!(await hasOwnTable('slow_queries', { signal }))) return []
  return rowsOf<Slow>('SELECT timestamp, cost, query FROM svc_private.slow_queries ORDER BY timestamp DESC LIMIT 50', {
    signal
  })
}

function Configuration() {
  const { value, error } = useLoaded(
    async signal => (await send('/config', { db: null, signal })).text(),
    [timeWords.value]
  )
  return (
    <details class="card">
      <summary>Configuration</summary>
      {error !== undefined && <Problem error={error} />}
      <pre tabIndex={0}>{value}</pre>
    </details>
  )
}
