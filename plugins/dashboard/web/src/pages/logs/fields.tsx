// Columns of the lines, and the values one of them has most often. A click makes a filter.
import { useState } from 'preact/hooks'
import type { TableColumn } from '../../api/catalog.ts'
import { countBy, countName, type LogSelection, queryLogs } from '../../api/logs.ts'
import { textOf } from '../../cell.ts'
import { Problem } from '../../components/problem.tsx'
import { levelColours, levelOf } from '../../levels.ts'
import type { LogTable } from '../../log-tables.ts'
import { change, parameters } from '../../router.ts'
import { useLoaded } from '../../task.ts'
import { exactTime, isTime, type TimeSpan } from '../../time.ts'
import { timeFilter } from '../../time-filter.ts'
import { addFilter, filterFor } from './filters.ts'

/** Values shown of a column. */
const maxValues = 10

interface FieldsProps {
  readonly table: LogTable
  readonly selection: LogSelection
  readonly span: TimeSpan
  readonly level: string | undefined
}

export function Fields(props: FieldsProps) {
  const [isOpen, setOpen] = useState(matchMedia('(min-width: 801px)').matches)
  const chosen = parameters.value.get('field')
  const columns = props.table.columns.filter(({ semantic }) => semantic !== 'TIMESTAMP')
  return (
    <details class="card fields" open={isOpen || chosen !== null} onToggle={event => setOpen(event.currentTarget.open)}>
      <summary>
        <h2>Fields</h2>
      </summary>
      <ul>
        {columns.map(column => (
          <li key={column.name}>
            <button
              type="button"
              class="plain field-name"
              aria-expanded={column.name === chosen}
              onClick={() => change({ field: column.name === chosen ? undefined : column.name }, true)}
            >
              <span class="mono">{column.name}</span>
              <span class="quiet">{column.type}</span>
            </button>
            {column.name === chosen && <TopValues key={column.name} column={column} {...props} />}
          </li>
        ))}
      </ul>
    </details>
  )
}

function TopValues({ column, selection, span, level }: FieldsProps & { readonly column: TableColumn }) {
  const { value, error } = useLoaded(signal => loadTop(column.name, selection, span, signal), [selection, span])
  if (error !== undefined) return <Problem error={error} />
  if (value === undefined) return <p class="quiet">Loading …</p>
  if (value.rows.length === 0) return <p class="quiet">No lines.</p>
  return (
    <ol class="top-values" aria-label={`Values of ${column.name}`}>
      {value.rows.map(([each, count], i) => {
        const text = isTime(column.type) && each !== null ? exactTime(each, column.type) : textOf(each)
        const share = (100 * Number(count)) / value.total
        const colour = column.name === level ? levelColours[levelOf(each, level)] : 'accent'
        return (
          <li key={i}>
            <button
              type="button"
              class="plain value"
              title={`Only lines with ${text}`}
              onClick={() => addFilter(filterFor(column.name, column.type, each))}
            >
              <span class="mono text">{text === '' ? '""' : text}</span>
              <span class="quiet">{share >= 10 ? Math.round(share) : share.toFixed(1)} %</span>
              <span class="share" style={{ width: `${share}%`, background: `var(--${colour})` }} />
            </button>
            <button
              type="button"
              class="plain"
              aria-label={`Without ${text}`}
              title={`Only lines without ${text}`}
              onClick={() => addFilter(filterFor(column.name, column.type, each, true))}
            >
              −
            </button>
          </li>
        )
      })}
    </ol>
  )
}

async function loadTop(column: string, selection: LogSelection, span: TimeSpan, signal: AbortSignal) {
  const time_filter = timeFilter(span)
  const top = {
    ...countBy([{ NamedIdent: column }]),
    order_by: [{ expr: { NamedIdent: countName }, order: 'desc' }],
    limit: { fetch: maxValues }
  }
  const [found, all] = await Promise.all([
    queryLogs({ ...selection, time_filter, ...top }, signal),
    queryLogs({ ...selection, time_filter, ...countBy([]) }, signal)
  ])
  return { rows: found.rows, total: Number(all.rows[0]?.[0] ?? 0) }
}
