// The home page: health, ingest rates, new tables, recent queries; on an empty server, how to send the first rows.
import { json } from '../../api/http.ts'
import { quoteText, rowsOf } from '../../api/sql.ts'
import { Chart, type Line } from '../../components/chart/index.tsx'
import { Problem } from '../../components/problem.tsx'
import { Snippets } from '../../components/snippets.tsx'
import { TableHead } from '../../components/table-head.tsx'
import { type Tile, Tiles } from '../../components/tiles.tsx'
import { TimeRange } from '../../components/time-range.tsx'
import { addressOf } from '../../router.ts'
import { database } from '../../session.ts'
import { useLoaded } from '../../task.ts'
import { formatBytes, formatDuration, formatTime, timeWords } from '../../time.ts'
import { type Reading, ratesOf, useReadings } from '../../use-readings.ts'
import { Health, stateWord, type Trouble } from './health.tsx'
import { LastQueries, SlowQueries } from './queries.tsx'

interface State {
  readonly version: string
  readonly ready: boolean
  /** Why it is not ready. */
  readonly reason?: string
  /** Plugins, and parts of them, that are not ok. */
  readonly troubles: readonly Trouble[]
  readonly uptime_seconds: number
  readonly written: readonly { readonly plugin: string; readonly rows: number; readonly bytes: number }[]
}

/** Milliseconds. */
const interval = 5000
/** Readings kept: ten minutes. */
const kept = 120

export default function Home() {
  const { readings, error } = useReadings(loadState, interval, kept)
  const tables = useLoaded(signal => loadTables(database.value, signal), [database.value, timeWords.value])
  const last = readings.at(-1)
  const now = last?.value
  const to = Math.round((last?.time ?? Date.now() / 1000) * 1000)
  const isEmpty = tables.value?.length === 0
  return (
    <>
      <div class="bar">
        <h1>Home</h1>
        <span class="space" />
        <TimeRange />
      </div>
      {error !== undefined && <Problem error={error} />}
      {now && <Tiles tiles={tilesOf(now)} />}
      {now && <Health {...now} />}
      {isEmpty && (
        <>
          <section class="card stack">
            <h2>Send the first rows</h2>
            <p>
              {database.value} has no table yet. Tables make themselves when rows come: copy a command into a shell, or{' '}
              <a href={addressOf('ingest')}>paste some lines here</a>.
            </p>
          </section>
          <Snippets />
        </>
      )}
      {!isEmpty && (
        <div class="halves">
          <section class="card stack" aria-label="Coming in">
            <h2>Coming in</h2>
            {readings.length < 2 && <p class="quiet">Rates are there with the next reading, in {interval / 1000} s.</p>}
            <Chart
              label="Rows a second"
              lines={linesOf(readings)}
              span={{ from: to - kept * interval, to }}
              height={150}
              unit="perSecond"
              short="last"
            />
            {now && now.written.length > 0 && <Written state={now} />}
          </section>
          <section class="card stack" aria-label="Newest tables">
            <h2>Newest tables</h2>
            {tables.error !== undefined && <Problem error={tables.error} />}
            <ul class="links">
              {(tables.value ?? []).slice(0, 8).map(({ table_name, created }) => (
                <li key={table_name}>
                  <a href={addressOf('tables', { table: table_name })}>{table_name}</a>
                  <span class="quiet">{formatTime(Number(created) * 1000)}</span>
                </li>
              ))}
            </ul>
            <a href={addressOf('tables')}>All tables</a>
          </section>
          <SlowQueries />
          <LastQueries />
        </div>
      )}
    </>
  )
}

function tilesOf({ ready, troubles, uptime_seconds, version, written }: State): readonly Tile[] {
  const sum = (key: 'rows' | 'bytes') => written.reduce((all, each) => all + each[key], 0)
  return [
    ['Server', stateWord(ready, troubles), `up ${formatDuration(uptime_seconds * 1000)}, version ${version}`],
    ['Rows', sum('rows').toLocaleString('en'), 'written since it started'],
    ['Received', formatBytes(sum('bytes')), 'in requests since it started'],
    ['Protocols', String(written.length), written.map(({ plugin }) => plugin).join(', ') || 'none wrote yet']
  ]
}

function Written({ state: { written } }: { readonly state: State }) {
  return (
    <table class="plain">
      <TableHead titles={['Protocol', 'Rows', 'Received']} />
      <tbody>
        {written.map(({ plugin, rows, bytes }) => (
          <tr key={plugin}>
            <td>{plugin}</td>
            <td>{rows.toLocaleString('en')}</td>
            <td>{formatBytes(bytes)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function linesOf(readings: readonly Reading<State>[]): Line[] {
  const plugins = [...new Set(readings.flatMap(({ value }) => value.written.map(({ plugin }) => plugin)))].sort()
  const times = readings.slice(1).map(({ time }) => time)
  const rowsOf = ({ written }: State, plugin: string) => written.find(each => each.plugin === plugin)?.rows ?? 0
  return plugins.map(name => ({ name, times, values: ratesOf(readings, state => rowsOf(state, name)) }))
}

function loadState(): Promise<State> {
  return json<State>('/dashboard/api/home', { db: null })
}

function loadTables(db: string, signal: AbortSignal) {
  return rowsOf<{ table_name: string; created: number }>(
    `SELECT table_name, epoch(create_time) AS created FROM information_schema.tables WHERE table_type = 'BASE TABLE' AND table_schema = ${quoteText(db)} ORDER BY create_time DESC, table_name LIMIT 8`,
    { signal }
  )
}
