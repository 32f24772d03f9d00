// Lines below each other, as many as there are: only those in sight are in the page.
import type { Column } from '../../api/sql.ts'
import { textOf } from '../../components/data-table.tsx'
import { useRowsInSight } from '../../components/rows-in-sight.ts'
import { change } from '../../router.ts'
import { formatTime, readTicks } from '../../time.ts'
import { levelOf } from './levels.ts'
import type { LogTable } from './tables.ts'

/** Pixels. */
const lineHeight = 26
/** Characters of the columns besides time, level and message that are shown at most. */
const mostShort = 400

/** What is known of the columns of lines. */
export interface Shape {
  readonly table: LogTable
  readonly columns: readonly Column[]
  readonly level: string | undefined
}

export interface LinesProps extends Shape {
  readonly rows: readonly (readonly unknown[])[]
  readonly ids: readonly string[]
  readonly chosen: string | null
}

export function Lines({ rows, ids, chosen, ...shape }: LinesProps) {
  const { box, first, last, onScroll } = useRowsInSight<HTMLDivElement>(rows.length, lineHeight)
  return (
    <div class="log-lines" ref={box} onScroll={onScroll}>
      <ol
        aria-label="Lines"
        style={{
          paddingTop: `${first * lineHeight}px`,
          paddingBottom: `${Math.max(0, rows.length - last) * lineHeight}px`
        }}
      >
        {rows.slice(first, last).map((row, i) => (
          <li key={ids[first + i]}>
            <button
              type="button"
              class="plain line"
              aria-pressed={ids[first + i] === chosen}
              onKeyDown={moveFocus}
              onClick={() => change({ line: ids[first + i] }, true)}
            >
              <LineText {...shape} row={row} />
            </button>
          </li>
        ))}
      </ol>
    </div>
  )
}

/** One line: when, how grave, what, and the rest in short. */
export function LineText({ table, columns, level, row }: Shape & { readonly row: readonly unknown[] }) {
  const cell = (name: string | undefined) => row[columns.findIndex(column => column.name === name)]
  const grave = cell(level)
  const [day, clock] = formatTime(readTicks(cell(table.time.name), table.time.type)).split(' ')
  return (
    <>
      <time class="quiet">
        <span class="day">{day} </span>
        {clock}
      </time>
      {level !== undefined && (
        <span class={`level ${levelOf(grave, level)}`}>{grave === null ? '' : textOf(grave)}</span>
      )}
      <span class="message">
        {table.message !== undefined && textOf(cell(table.message))}
        <span class="quiet"> {shortOf(columns, row, [table.time.name, level, table.message])}</span>
      </span>
    </>
  )
}

function shortOf(
  columns: readonly Column[],
  row: readonly unknown[],
  without: readonly (string | undefined)[]
): string {
  let text = ''
  for (let i = 0; i < columns.length && text.length < mostShort; i++) {
    const { name } = columns[i]!
    const value = row[i]
    if (without.includes(name) || value === null || value === '') continue
    const shown = textOf(value)
    if (shown !== '{}') text += ` ${name}=${shown}`
  }
  return text
}

/** Up and down go from line to line. */
function moveFocus(event: KeyboardEvent): void {
  if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return
  const item = (event.target as HTMLElement).closest('li')
  const next = event.key === 'ArrowDown' ? item?.nextElementSibling : item?.previousElementSibling
  const button = next?.querySelector('button')
  if (!button) return
  event.preventDefault()
  button.focus()
}
