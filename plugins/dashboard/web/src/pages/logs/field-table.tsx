// Fields of a line as a table; objects member by member.
import type { Column } from '../../api/sql.ts'
import { textOf } from '../../cell.ts'
import { TableHead } from '../../components/table-head.tsx'
import { exactTime, isTime } from '../../time.ts'
import { addFilter, type Filter, filterFor } from './filters.ts'
import { memberText } from './json-pattern.ts'

interface FieldTableProps {
  readonly columns: readonly Column[]
  readonly row: readonly unknown[]
  /** The time of lines, which has no filters of its own. */
  readonly time: string
}

interface Entry {
  readonly name: string
  readonly text: string
  readonly isMember?: boolean
  filter?(isOut: boolean): Filter
}

export function FieldTable({ columns, row, time }: FieldTableProps) {
  const entries = columns.flatMap((column, i) => entriesOf(column, row[i], column.name === time))
  return (
    <table class="plain line-fields">
      <TableHead titles={['Field', 'Value', 'Filters']} isHidden />
      <tbody>
        {entries.map(entry => (
          <tr key={entry.name}>
            <th scope="row" class={entry.isMember ? 'mono member' : 'mono'}>
              {entry.name}
            </th>
            <td class="mono">{entry.text}</td>
            <td>
              <FilterButtons entry={entry} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function FilterButtons({ entry: { name, text, filter } }: { readonly entry: Entry }) {
  if (filter === undefined) return null
  return (
    <>
      <button
        type="button"
        class="plain"
        aria-label={`Filter for ${name} ${text}`}
        title="Filter for"
        onClick={() => addFilter(filter(false))}
      >
        +
      </button>
      <button
        type="button"
        class="plain"
        aria-label={`Filter out ${name} ${text}`}
        title="Filter out"
        onClick={() => addFilter(filter(true))}
      >
        −
      </button>
    </>
  )
}

function entriesOf({ name, type }: Column, value: unknown, isTimeOfLine: boolean): Entry[] {
  if (type === 'Json' && value !== null && typeof value === 'object' && !Array.isArray(value)) {
    const members = Object.entries(value)
    if (members.length > 0) return members.map(([key, each]) => memberOf(name, key, each))
  }
  const text = isTime(type) && value !== null ? exactTime(value, type) : textOf(value)
  return [{ name, text, ...(!isTimeOfLine && { filter: isOut => filterFor(name, type, value, isOut) }) }]
}

function memberOf(column: string, key: string, value: unknown): Entry {
  const filter = (isOut: boolean): Filter => ({
    column,
    operator: isOut ? 'hasnt' : 'has',
    value: memberText(key, value)
  })
  return { name: `${column}.${key}`, text: textOf(value), isMember: true, filter }
}
