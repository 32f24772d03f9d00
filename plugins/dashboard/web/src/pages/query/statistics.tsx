// What the rows in the page say of each column: how many values, the least and the greatest, the most frequent ones.
import { useMemo } from 'preact/hooks'
import type { SqlResult } from '../../api/sql.ts'
import { cellText } from '../../cell.ts'
import { isNumeric } from '../../components/data-table.tsx'
import { Drawer } from '../../components/drawer.tsx'
import { formatValue } from '../../units.ts'
import { countOf } from '../../words.ts'

type Table = Pick<SqlResult, 'columns' | 'rows'>

/** Values named of a column. */
const mostValues = 5

export function Statistics({ table, onClose }: { readonly table: Table; onClose(): void }) {
  const columns = useMemo(() => table.columns.map((_, i) => statisticsOf(table, i)), [table])
  return (
    <Drawer title="Columns" onClose={onClose}>
      <p class="quiet">Of the {countOf(table.rows.length, 'row')} shown.</p>
      {columns.map(({ name, type, facts, top }) => (
        <section class="stack" key={name} aria-label={`Column ${name}`}>
          <h3>
            <span class="mono">{name}</span> <span class="quiet">{type}</span>
          </h3>
          <p>{facts.join(', ')}</p>
          <ul class="links">
            {top.map(([text, count]) => (
              <li key={text}>
                <span class="mono">{text}</span>
                <span class="quiet">{count.toLocaleString('en')}</span>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </Drawer>
  )
}

function statisticsOf({ columns, rows }: Table, at: number) {
  const { name, type } = columns[at]!
  const counts = new Map<string, number>()
  let [missing, sum, least, greatest] = [0, 0, undefined as unknown, undefined as unknown]
  for (const row of rows) {
    const value = row[at]
    if (value === null || value === undefined) {
      missing++
      continue
    }
    const text = cellText(value, type)
    counts.set(text, (counts.get(text) ?? 0) + 1)
    if (typeof value === 'object') continue
    if (least === undefined || (value as number) < (least as number)) least = value
    if (greatest === undefined || (value as number) > (greatest as number)) greatest = value
    if (isNumeric(type)) sum += Number(value)
  }
  const known = rows.length - missing
  const facts = [
    `${counts.size.toLocaleString('en')} different`,
    ...(missing > 0 ? [`${missing.toLocaleString('en')} null`] : []),
    ...(least === undefined ? [] : [`from ${cellText(least, type)} to ${cellText(greatest, type)}`]),
    ...(isNumeric(type) && known > 0 ? [`average ${formatValue(sum / known)}`] : [])
  ]
  const top = [...counts].sort((a, b) => b[1] - a[1]).slice(0, mostValues)
  return { name, type, facts, top: counts.size === known ? [] : top }
}
