// Lines of a table of logs: how many over time, which values they have, each of them, and new ones as they come.
import { Choice } from '../../components/choice.tsx'
import { Problem } from '../../components/problem.tsx'
import { TimeRange } from '../../components/time-range.tsx'
import { type LogTable, loadLogTables } from '../../log-tables.ts'
import { change, parameters } from '../../router.ts'
import { database } from '../../session.ts'
import { useLoaded } from '../../task.ts'
import { CompareChoice } from './compared.tsx'
import { OfTrace } from './of-trace.tsx'
import { View } from './view.tsx'
import './logs.css'

const views = [
  { value: 'lines', title: 'Lines' },
  { value: 'patterns', title: 'Patterns' }
] as const

export default function Logs() {
  const tables = useLoaded(
    async signal => ({ db: database.value, list: await loadLogTables(database.value, signal) }),
    [database.value]
  )
  const isCurrent = tables.value?.db === database.value
  const list = isCurrent ? tables.value!.list : []
  const wanted = parameters.value.get('table')
  const table = wanted === null ? list[0] : list.find(({ name }) => name === wanted)
  const trace = parameters.value.get('trace')
  const isLive = parameters.value.get('live') !== null
  return (
    <>
      <div class="bar">
        <h1>Logs</h1>
        {list.length > 0 && <TableChoice tables={list} chosen={table?.name ?? ''} />}
        {table && trace === null && (
          <Choice
            label="View"
            value={parameters.value.get('view') === 'patterns' ? 'patterns' : 'lines'}
            options={views}
            onChange={name => change({ view: name === 'lines' ? undefined : name, line: undefined })}
          />
        )}
        <span class="space" />
        {table && trace === null && <CompareChoice />}
        <button
          type="button"
          aria-pressed={isLive}
          disabled={table === undefined}
          onClick={() => change({ live: isLive ? undefined : '1' })}
        >
          Live
        </button>
        <TimeRange />
      </div>
      {tables.error !== undefined && <Problem error={tables.error} />}
      {!isCurrent && tables.error === undefined && <p class="empty">Loading …</p>}
      {isCurrent && trace === null && table === undefined && <Nothing wanted={list.length > 0 ? wanted : null} />}
      {trace !== null && isCurrent && (
        <OfTrace id={trace} span={parameters.value.get('span') ?? undefined} tables={list} />
      )}
      {trace === null && table && <View key={`${database.value} ${table.name}`} table={table} isLive={isLive} />}
    </>
  )
}

function TableChoice({ tables, chosen }: { readonly tables: readonly LogTable[]; readonly chosen: string }) {
  const names = tables.map(({ name }) => name).sort()
  return (
    <select
      aria-label="Table"
      value={chosen}
      onChange={event =>
        change({
          table: event.currentTarget.value,
          trace: undefined,
          cols: undefined,
          f: undefined,
          field: undefined,
          line: undefined
        })
      }
    >
      {chosen === '' && <option value="">Choose a table</option>}
      {names.map(name => (
        <option key={name}>{name}</option>
      ))}
    </select>
  )
}

function Nothing({ wanted }: { readonly wanted: string | null }) {
  if (wanted !== null)
    return (
      <p class="empty">
        There is no table {wanted} with texts in {database.value}. Choose another one.
      </p>
    )
  return (
    <p class="empty">
      There is no table with texts in {database.value} yet. <a href="/dashboard/ingest">Send some logs</a>, or choose
      another database.
    </p>
  )
}
