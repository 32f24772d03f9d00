// One value of a table, whole: JSON laid out, long text with its lines, times in the zone and exactly.
import type { Column } from '../api/sql.ts'
import { cellText, plainValue, writeJson } from '../cell.ts'
import { isTime } from '../time.ts'
import { countOf } from '../words.ts'
import { CopyButton } from './copy-button.tsx'
import { Drawer } from './drawer.tsx'

interface CellViewProps {
  readonly columns: readonly Column[]
  readonly rows: readonly (readonly unknown[])[]
  /** Row and column of the value. */
  readonly row: number
  readonly column: number
  onChoose(row: number, column: number): void
  onClose(): void
}

export function CellView({ columns, rows, row: index, column, onChoose, onClose }: CellViewProps) {
  const { name, type } = columns[column]!
  const row = rows[index] ?? []
  const value = row[column]
  const text = wholeText(value, type)
  return (
    <Drawer title={name} onClose={onClose}>
      <div class="bar">
        <button type="button" disabled={column === 0} onClick={() => onChoose(index, column - 1)}>
          ← Column
        </button>
        <button type="button" disabled={column === columns.length - 1} onClick={() => onChoose(index, column + 1)}>
          Column →
        </button>
        <button type="button" disabled={index === 0} onClick={() => onChoose(index - 1, column)}>
          ↑ Row
        </button>
        <button type="button" disabled={index >= rows.length - 1} onClick={() => onChoose(index + 1, column)}>
          Row ↓
        </button>
        <span class="space" />
        <CopyButton title="Copy value" text={() => text} />
        <CopyButton
          title="Copy row as JSON"
          text={() =>
            writeJson(Object.fromEntries(columns.map((each, i) => [each.name, plainValue(row[i], each.type)])), 2)
          }
        />
      </div>
      <p class="quiet">
        {type}
        {typeof value === 'string' && `, ${countOf(value.length, 'character')}`}
      </p>
      <pre class="card" tabIndex={0}>
        {text}
      </pre>
      {value !== null && isTime(type) && <p class="quiet">exactly {String(plainValue(value, type))}</p>}
    </Drawer>
  )
}

function wholeText(value: unknown, type: string): string {
  if (typeof value === 'string' && /^\s*[[{]/.test(value)) {
    try {
      return JSON.stringify(JSON.parse(value), null, 2)
    } catch {
      return value
    }
  }
  const isJson = value !== null && typeof value === 'object' && type !== 'Binary'
  return isJson ? writeJson(plainValue(value, type), 2) : cellText(value, type)
}
