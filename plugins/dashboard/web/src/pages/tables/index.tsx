// Tables of the database, and everything about one of them.
import { useState } from 'preact/hooks'
import { Problem } from '../../components/problem.tsx'
import { Refresh } from '../../components/refresh.tsx'
import { SearchBox } from '../../components/search-box.tsx'
import { TableHead } from '../../components/table-head.tsx'
import { change, parameters } from '../../router.ts'
import { database } from '../../session.ts'
import { useLoaded } from '../../task.ts'
import { formatBytes, timeWords } from '../../time.ts'
import { loadTables, type TableRow } from './load.ts'
import { TableDetails } from './table-details.tsx'
import './tables.css'

export default function Tables() {
  const [wanted, setWanted] = useState('')
  const task = useLoaded(signal => loadTables(database.value, signal), [database.value, timeWords.value])
  const chosen = parameters.value.get('table')
  const rows = (task.value ?? []).filter(({ name }) => name.toLowerCase().includes(wanted.toLowerCase()))
  return (
    <>
      <div class="bar">
        <h1>Tables</h1>
        <SearchBox label="Search tables" value={wanted} onChange={setWanted} />
        <span class="quiet" role="status">
          {task.value && `${rows.length} of ${task.value.length}`}
        </span>
        <span class="space" />
        <Refresh />
      </div>
      {task.error !== undefined && <Problem error={task.error} />}
      {task.value?.length === 0 && (
        <p class="empty">
          There is no table in {database.value} yet. <a href="/dashboard/ingest">Send some data</a>; tables make
          themselves.
        </p>
      )}
      {rows.length > 0 && <List rows={rows} chosen={chosen} />}
      {chosen !== null && (
        <TableDetails key={`${database.value} ${chosen}`} name={chosen} onClose={() => change({ table: undefined })} />
      )}
    </>
  )
}

function List({ rows, chosen }: { readonly rows: readonly TableRow[]; readonly chosen: string | null }) {
  return (
    <section class="grid tables" tabIndex={0} aria-label="Tables">
      <table>
        <TableHead titles={['Table', 'Kind', 'Rows', 'Size', 'Files']} />
        <tbody>
          {rows.map(({ name, kind, rows: count, bytes, files, sharedWith }) => (
            <tr key={name} aria-current={name === chosen ? 'true' : undefined}>
              <td>
                <button type="button" class="plain" onClick={() => change({ table: name })}>
                  {name}
                </button>
              </td>
              <td>{kind}</td>
              {sharedWith === undefined ? (
                <>
                  <td class="number">{count === null ? '' : count.toLocaleString('en')}</td>
                  <td class="number">{bytes === null ? '' : formatBytes(bytes)}</td>
                  <td class="number">{files ?? ''}</td>
                </>
              ) : (
                <td class="null" colSpan={3}>
                  in the files of {sharedWith}
                </td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
