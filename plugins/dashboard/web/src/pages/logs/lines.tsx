// The list of log lines: only the visible ones are in the page.
import { useMemo } from 'preact/hooks'
import type { Column } from '../../api/sql.ts'
import { cellText, textOf } from '../../cell.ts'
import { useRowsInSight } from '../../components/rows-in-sight.ts'
import { levelOf } from '../../levels.ts'
import type { LogTable } from '../../log-tables.ts'
import { change } from '../../router.ts'
import { formatTime, readTicks } from '../../time.ts'
import { countOf } from '../../words.ts'
import { Message } from './message.tsx'

/** Pixels of a line of text, and above and below all of a row. */
const textHeight = 20
const padding = 6
/** Lines of one message that are shown; all are in its details. */
const maxTextLines = 12
/** Characters of the columns besides time, level and message that are shown at most. */
const maxShortLength = 400
/** Wrapped lines have heights that only the browser knows: so many are in the page. */
const maxWrappedLength = 1000

/** A table of log lines: its columns, and which of them is the level. */
export interface LineSchema {
  readonly table: LogTable
  readonly columns: readonly Column[]
  readonly level: string | undefined
}

/** How lines are shown. */
interface LineLook {
  readonly isWrapped: boolean
  /** Columns that are shown behind the message; undefined: all. */
  readonly shown: readonly string[] | undefined
  readonly marker: RegExp | undefined
}

interface LinesProps extends LineSchema, LineLook {
  readonly rows: readonly (readonly unknown[])[]
  readonly ids: readonly string[]
  readonly chosen: string | null
}

export function Lines(props: LinesProps) {
  return props.isWrapped ? <WrappedLines {...props} /> : <WholeLines {...props} />
}

/** Rows as high as their messages have lines. */
function WholeLines({ rows, ids, chosen, ...schema }: LinesProps) {
  const messageAt = schema.columns.findIndex(({ name }) => name === schema.table.message)
  const offsets = useMemo(() => {
    const all = new Float64Array(rows.length + 1)
    for (let i = 0; i < rows.length; i++) all[i + 1] = all[i]! + padding + textHeight * linesIn(rows[i]![messageAt])
    return all
  }, [rows, messageAt])
  const { box, first, last, before, after, onScroll } = useRowsInSight<HTMLDivElement>(rows.length, offsets)
  return (
    <div class="log-lines" ref={box} onScroll={onScroll}>
      <ol aria-label="Lines" style={{ paddingTop: `${before}px`, paddingBottom: `${after}px` }}>
        {rows.slice(first, last).map((row, i) => (
          <LineItem key={ids[first + i]} {...schema} id={ids[first + i]!} row={row} chosen={chosen} />
        ))}
      </ol>
    </div>
  )
}

function WrappedLines({ rows, ids, chosen, ...schema }: LinesProps) {
  return (
    <div class="log-lines wrapped">
      <ol aria-label="Lines">
        {rows.slice(0, maxWrappedLength).map((row, i) => (
          <LineItem key={ids[i]} {...schema} id={ids[i]!} row={row} chosen={chosen} />
        ))}
      </ol>
      {rows.length > maxWrappedLength && (
        <p class="quiet">The first {countOf(maxWrappedLength, 'line')}; without wrapping all are here.</p>
      )}
    </div>
  )
}

interface ItemProps extends LineSchema, LineLook {
  readonly id: string
  readonly row: readonly unknown[]
  readonly chosen: string | null
}

function LineItem({ id, row, chosen, ...schema }: ItemProps) {
  return (
    <li>
      <button
        type="button"
        class="plain line"
        aria-pressed={id === chosen}
        onKeyDown={moveFocus}
        onClick={() => change({ line: id }, true)}
      >
        <LineText {...schema} row={row} />
      </button>
    </li>
  )
}

interface LineTextProps extends LineSchema, Partial<LineLook> {
  readonly row: readonly unknown[]
}

/** One line: when, how grave, what, and the rest in short. */
export function LineText({ table, columns, level, row, isWrapped = false, shown, marker }: LineTextProps) {
  const cell = (name: string | undefined) => row[columns.findIndex(column => column.name === name)]
  const grave = cell(level)
  const [day, clock] = formatTime(readTicks(cell(table.time.name), table.time.type)).split(' ')
  const message = table.message === undefined ? '' : textOf(cell(table.message))
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
        <Message text={isWrapped ? message : cut(message)} marker={marker} />
        <span class="quiet"> {shortOf(columns, row, [table.time.name, level, table.message], shown)}</span>
      </span>
    </>
  )
}

function linesIn(message: unknown): number {
  if (typeof message !== 'string' || !message.includes('\n')) return 1
  return Math.min(maxTextLines, message.replace(/\n+$/, '').split('\n').length)
}

/** The first lines of a message; the last one says how many more there are. */
function cut(message: string): string {
  if (!message.includes('\n')) return message
  const lines = message.replace(/\n+$/, '').split('\n')
  if (lines.length <= maxTextLines) return lines.join('\n')
  return [...lines.slice(0, maxTextLines - 1), `… and ${lines.length - maxTextLines + 1} more lines`].join('\n')
}

function shortOf(
  columns: readonly Column[],
  row: readonly unknown[],
  without: readonly (string | undefined)[],
  shown: readonly string[] | undefined
): string {
  let text = ''
  for (let i = 0; i < columns.length && text.length < maxShortLength; i++) {
    const { name, type } = columns[i]!
    const value = row[i]
    if (without.includes(name) || value === null || value === '' || shown?.includes(name) === false) continue
    const words = cellText(value, type)
    if (words !== '{}') text += ` ${name}=${words}`
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
