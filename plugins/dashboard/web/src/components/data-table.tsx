// Rows and columns of any number: only the rows in sight are in the page.
import { useEffect } from 'preact/hooks'
import type { Column } from '../api/sql.ts'
import { useRowsInSight } from './rows-in-sight.ts'

/** Pixels. */
const rowHeight = 28

export interface DataTableProps {
  readonly columns: readonly Column[]
  readonly rows: readonly (readonly unknown[])[]
  readonly label: string
  onChoose?(row: number): void
}

export function DataTable({ columns, rows, label, onChoose }: DataTableProps) {
  const { box, first, last, onScroll, toTop } = useRowsInSight<HTMLElement>(rows.length, rowHeight)
  useEffect(toTop, [rows])
  const isNumber = columns.map(({ type }) => /^(U?Int|Float|Decimal)/i.test(type))
  return (
    <section class="grid" ref={box} tabIndex={0} aria-label={label} onScroll={onScroll}>
      <table>
        <thead>
          <tr>
            {columns.map(({ name, type }, i) => (
              <th key={i} scope="col">
                {name}
                <small>{type}</small>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          <Spacer height={first * rowHeight} columns={columns.length} />
          {rows.slice(first, last).map((row, i) => (
            <tr key={first + i} onClick={onChoose && (() => onChoose(first + i))}>
              {row.map((value, column) => (
                <td
                  key={column}
                  class={value === null ? 'null' : isNumber[column] ? 'number' : undefined}
                  title={longText(value)}
                >
                  {textOf(value)}
                </td>
              ))}
            </tr>
          ))}
          <Spacer height={(rows.length - last) * rowHeight} columns={columns.length} />
        </tbody>
      </table>
    </section>
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

export function textOf(value: unknown): string {
  if (value === null || value === undefined) return 'null'
  return typeof value === 'object' ? writeJson(value) : String(value)
}

/** JSON with whole numbers of any size. */
export function writeJson(value: unknown, indent?: number): string {
  return JSON.stringify(value, (_, each) => (typeof each === 'bigint' ? String(each) : each), indent)
}

function longText(value: unknown): string | undefined {
  const text = textOf(value)
  return text.length > 60 ? text : undefined
}
