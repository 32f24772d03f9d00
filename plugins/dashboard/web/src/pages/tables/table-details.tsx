// One table: columns, time it covers, retention, the statement that makes it.
import { quoteName } from '../../api/sql.ts'
import { Drawer } from '../../components/drawer.tsx'
import { Problem } from '../../components/problem.tsx'
import { TableHead } from '../../components/table-head.tsx'
import { addressOf } from '../../router.ts'
import { database } from '../../session.ts'
import { useLoaded } from '../../task.ts'
import { type Details, loadDetails } from './load.ts'

export function TableDetails({ name, onClose }: { readonly name: string; onClose(): void }) {
  const { value, error } = useLoaded(signal => loadDetails(database.value, name, signal), [name, database.value])
  const time = value?.columns.find(({ semantic }) => semantic === 'TIMESTAMP')
  const newest = `SELECT * FROM ${quoteName(name)}${time ? ` ORDER BY ${quoteName(time.name)} DESC` : ''} LIMIT 100`
  return (
    <Drawer title={name} onClose={onClose}>
      {error !== undefined && <Problem error={error} />}
      {value === undefined && error === undefined && <p class="quiet">Loading …</p>}
      {value && (
        <>
          <div class="bar">
            <a class="button" href={addressOf('query', { q: newest })}>
              Newest rows
            </a>
            {value.columns.some(({ semantic, type }) => semantic === 'FIELD' && type === 'String') && (
              <a class="button" href={addressOf('logs', { table: name })}>
                As logs
              </a>
            )}
          </div>
          <Facts details={value} />
          <Columns details={value} />
          <h3>Definition</h3>
          <pre class="card" tabIndex={0}>
            {value.ddl}
          </pre>
        </>
      )}
    </Drawer>
  )
}

function Facts({ details: { oldest, newest, retention } }: { readonly details: Details }) {
  return (
    <dl class="facts">
      <dt>Oldest row</dt>
      <dd>{oldest ?? 'none'}</dd>
      <dt>Newest row</dt>
      <dd>{newest ?? 'none'}</dd>
      <dt>Kept for</dt>
      <dd>{retention}</dd>
    </dl>
  )
}

function Columns({ details: { columns } }: { readonly details: Details }) {
  return (
    <table class="plain">
      <TableHead titles={['Column', 'Type', 'Meaning']} />
      <tbody>
        {columns.map(({ name, type, semantic }) => (
          <tr key={name}>
            <td class="mono">{name}</td>
            <td class="mono">{type}</td>
            <td>{semantic.toLowerCase()}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
