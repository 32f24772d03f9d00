// How lines are shown, which columns of them, and lines as a file.
import { useState } from 'preact/hooks'
import { type LogSelection, queryLogs } from '../../api/logs.ts'
import type { SqlResult } from '../../api/sql.ts'
import { plainValue, textOf, writeJson } from '../../cell.ts'
import { Menu } from '../../components/menu.tsx'
import { Problem } from '../../components/problem.tsx'
import { csvOf } from '../../csv.ts'
import type { LogTable } from '../../log-tables.ts'
import { change, parameters } from '../../router.ts'
import { save } from '../../save.ts'
import { exactTime, type TimeSpan } from '../../time.ts'
import { timeFilter } from '../../time-filter.ts'
import { plainText } from './ansi.ts'

/** Lines of a file at most. */
const maxSavedLines = 100_000
const kinds = ['Text', 'CSV', 'NDJSON'] as const
type Kind = (typeof kinds)[number]

interface LookMenuProps {
  readonly table: LogTable
  readonly selection: LogSelection
  readonly span: TimeSpan
}

/** Of the address. */
export function chosenColumns(): readonly string[] | undefined {
  const text = parameters.value.get('cols')
  return text === null ? undefined : text.split(',')
}

export function isOldestFirst(): boolean {
  return parameters.value.get('order') === 'asc'
}

export function LookMenu({ table, selection, span }: LookMenuProps) {
  const [error, setError] = useState<unknown>()
  const [busy, setBusy] = useState<Kind>()
  const others = table.columns
    .map(({ name }) => name)
    .filter(name => name !== table.time.name && name !== table.message)
  const shown = chosenColumns() ?? others
  const isWrapped = parameters.value.get('wrap') !== null
  const toggle = (name: string) => {
    const next = others.filter(each => (each === name ? !shown.includes(each) : shown.includes(each)))
    change({ cols: next.length === others.length ? undefined : next.join(',') || '-' }, true)
  }
  const download = async (kind: Kind) => {
    setBusy(kind)
    setError(undefined)
    try {
      const query = { ...selection, time_filter: timeFilter(span), limit: { fetch: maxSavedLines } }
      saveLines(await queryLogs(query), table, kind)
    } catch (reason) {
      setError(reason)
    }
    setBusy(undefined)
  }
  return (
    <Menu title="View" label="View of lines">
      <label>
        <input
          type="checkbox"
          checked={isWrapped}
          onChange={() => change({ wrap: isWrapped ? undefined : '1' }, true)}
        />{' '}
        Wrap long lines
      </label>
      <label>
        <input
          type="checkbox"
          checked={isOldestFirst()}
          onChange={() => change({ order: isOldestFirst() ? undefined : 'asc', line: undefined }, true)}
        />{' '}
        Oldest first
      </label>
      <h3>Columns</h3>
      {others.map(name => (
        <label key={name} class="mono">
          <input type="checkbox" checked={shown.includes(name)} onChange={() => toggle(name)} /> {name}
        </label>
      ))}
      <h3>Download up to {maxSavedLines.toLocaleString('en')} lines</h3>
      <div class="bar">
        {kinds.map(kind => (
          <button type="button" key={kind} disabled={busy !== undefined} onClick={() => void download(kind)}>
            {kind === busy ? 'Loading …' : kind}
          </button>
        ))}
      </div>
      {error !== undefined && <Problem error={error} />}
    </Menu>
  )
}

function saveLines({ columns, rows }: SqlResult, table: LogTable, kind: Kind): void {
  const name = `${table.name}.${{ Text: 'log', CSV: 'csv', NDJSON: 'ndjson' }[kind]}`
  const plain = rows.map(row => row.map((value, i) => plainValue(value, columns[i]!.type)))
  const at = (wanted: string | undefined) => columns.findIndex(column => column.name === wanted)
  const [time, message] = [at(table.time.name), at(table.message)]
  const texts: Record<Kind, () => string> = {
    Text: () =>
      rows
        .map(row => `${exactTime(row[time], table.time.type)} ${message < 0 ? '' : plainText(textOf(row[message]))}\n`)
        .join(''),
    CSV: () =>
      csvOf([
        columns.map(column => column.name),
        ...plain.map(row => row.map(value => (value === null ? '' : textOf(value))))
      ]),
    NDJSON: () =>
      plain.map(row => `${writeJson(Object.fromEntries(columns.map((column, i) => [column.name, row[i]])))}\n`).join('')
  }
  save(new Blob([texts[kind]()], { type: 'text/plain' }), name)
}
