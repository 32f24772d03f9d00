// Rows and columns of any number: only the rows in sight are in the page. A click on a head sorts, one on a value shows it whole.
import { useEffect, useMemo, useState } from 'preact/hooks'
import type { Column } from '../api/sql.ts'
import { cellText } from '../cell.ts'
import { CellView } from './cell-view.tsx'
import { useRowsInSight } from './rows-in-sight.ts'

/** Pixels. */
const rowHeight = 28
/** Characters of a value in the table; a click shows all of it. */
const maxTextLength = 300

export interface DataTableProps {
  readonly columns: readonly (Column & {
    /** Said instead of the type. */
    readonly note?: string
  })[]
  readonly rows: readonly (readonly unknown[])[]
  readonly label: string
}

interface Order {
  readonly column: number
  readonly isDown: boolean
}

export function DataTable({ columns, rows, label }: DataTableProps) {
  const { box, first, last, before, after, onScroll, toTop } = useRowsInSight<HTMLElement>(rows.length, rowHeight)
  const [order, setOrder] = useState<Order>()
  const [chosen, setChosen] = useState<{ readonly row: number; readonly column: number }>()
  useEffect(() => {
    setOrder(undefined)
    setChosen(undefined)
    toTop()
  }, [rows])
  const sorted = useMemo(() => sortedRows(rows, order), [rows, order])
  const isNumber = columns.map(({ type }) => isNumeric(type))
  const sort = (column: number) => {
    setOrder(before => {
      if (before?.column !== column) return { column, isDown: false }
      return before.isDown ? undefined : { column, isDown: true }
    })
    toTop()
  }
  const openFirst = (event: KeyboardEvent) => {
    const { current } = box
    if (event.key !== 'Enter' || event.target !== current || rows.length === 0) return
    setChosen({ row: Math.round(current!.scrollTop / rowHeight), column: 0 })
  }
  const open = ({ target }: MouseEvent) => {
    const cell = (target as HTMLElement).closest<HTMLTableCellElement>('td[data-row]')
    // Who selects text wants to copy it.
    if (cell && getSelection()?.isCollapsed !== false)
      setChosen({ row: Number(cell.dataset['row']), column: cell.cellIndex })
  }
  return (
    <>
      <section
        class="grid"
        ref={box}
        tabIndex={0}
        aria-label={label}
        onScroll={onScroll}
        onKeyDown={openFirst}
        onClick={open}
      >
        <table>
          <thead>
            <tr>
              {columns.map(({ name, type, note = type }, i) => (
                <th
                  key={i}
                  scope="col"
                  class={isNumber[i] ? 'number' : undefined}
                  aria-sort={order?.column === i ? (order.isDown ? 'descending' : 'ascending') : undefined}
                >
                  <button type="button" class="plain" title={`Sort by ${name}`} onClick={() => sort(i)}>
                    {name} {order?.column === i && <span aria-hidden="true">{order.isDown ? '↓' : '↑'}</span>}
                    <small>{note}</small>
                  </button>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            <Spacer height={before} columns={columns.length} />
            {sorted.slice(first, last).map((row, i) => (
              <tr key={first + i}>
                {row.map((value, column) => (
                  <td
                    key={column}
                    data-row={first + i}
                    class={value === null ? 'null' : isNumber[column] ? 'number' : undefined}
                  >
                    {shortened(cellText(value, columns[column]!.type))}
                  </td>
                ))}
              </tr>
            ))}
            <Spacer height={after} columns={columns.length} />
          </tbody>
        </table>
      </section>
      {chosen && (
        <CellView
          columns={columns}
          rows={sorted}
          row={chosen.row}
          column={chosen.column}
          onChoose={(row, column) => setChosen({ row, column })}
          onClose={() => setChosen(undefined)}
        />
      )}
    </>
  )
}

function Spacer({ height, columns }: { readonly height: number; readonly columns: number }) {
  if (height <= 0) return null
  return (
    <tr class="spacer">
      <td colSpan={columns} style={{ height: `${height}px` }} />
    </tr>
  )
}

function shortened(text: string): string {
  return text.length > maxTextLength ? `${text.slice(0, maxTextLength)}…` : text
}

export function isNumeric(type: string): boolean {
  return /^(U?Int|Float|Decimal)/i.test(type)
}

function sortedRows(rows: DataTableProps['rows'], order: Order | undefined): DataTableProps['rows'] {
  if (order === undefined) return rows
  const { column, isDown } = order
  const sign = isDown ? -1 : 1
  return rows.toSorted((a, b) => {
    const [x, y] = [a[column], b[column]]
    if (x === null || y === null) return x === y ? 0 : x === null ? 1 : -1
    return sign * compare(x, y)
  })
}

function compare(a: unknown, b: unknown): number {
  if (typeof a === 'object' || typeof b === 'object') return compare(JSON.stringify(a), JSON.stringify(b))
  // Numbers and bigints compare with each other.
  return (a as number) < (b as number) ? -1 : (a as number) > (b as number) ? 1 : 0
}
