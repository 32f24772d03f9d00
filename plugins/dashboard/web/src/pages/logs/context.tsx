// Lines before and after one, whatever the filters of the page.
import { useEffect, useState } from 'preact/hooks'
import { type Condition, queryLogs } from '../../api/logs.ts'
import { writeJson } from '../../cell.ts'
import { Problem } from '../../components/problem.tsx'
import { useTask } from '../../task.ts'
import { exactTime } from '../../time.ts'
import { type LineSchema, LineText } from './lines.tsx'

type Row = readonly unknown[]

const sizes = [5, 20, 100]
/** Characters of a message that are compared to tell lines of the same time apart. */
const longText = 1000

export function Context({ row, ...schema }: LineSchema & { readonly row: Row }) {
  const [size, setSize] = useState(sizes[0]!)
  const { value, error, isRunning, run } = useTask<readonly Row[]>()
  const [isOpen, setOpen] = useState(false)
  useEffect(() => {
    if (isOpen) void run(signal => loadAround(schema, row, size, signal))
  }, [isOpen, size, row])
  const own = writeJson(row)
  const at = value?.findIndex(each => writeJson(each) === own)
  return (
    <details open={isOpen} onToggle={event => setOpen(event.currentTarget.open)}>
      <summary>Lines around it</summary>
      <div class="bar context-size">
        <label>
          Lines before and after{' '}
          <select value={size} onChange={event => setSize(Number(event.currentTarget.value))}>
            {sizes.map(each => (
              <option key={each}>{each}</option>
            ))}
          </select>
        </label>
        {isRunning && <span class="quiet">Loading …</span>}
      </div>
      {error !== undefined && <Problem error={error} />}
      {error === undefined && value && (
        <section class="context" tabIndex={0} aria-label="Lines around it">
          <ol>
            {value.map((each, i) => (
              <li key={i} class="line" aria-current={i === at ? 'true' : undefined}>
                <LineText {...schema} row={each} />
              </li>
            ))}
          </ol>
        </section>
      )}
    </details>
  )
}

/** The newest first, as on the page. */
async function loadAround({ table, columns }: LineSchema, row: Row, size: number, signal: AbortSignal) {
  const conditions = columns.flatMap(({ name, type }, i): Condition[] => {
    const value = row[i]
    if (name === table.time.name) return [isValue(name, exactTime(value, type))]
    const tells = type === 'String' && typeof value === 'string' && value.length < longText
    return tells ? [isValue(name, value)] : []
  })
  const query = {
    table: table.name,
    columns: columns.map(({ name }) => name),
    filters: { And: conditions },
    context: { Lines: [size, size] as const }
  }
  return (await queryLogs(query, signal)).rows
}

function isValue(column: string, value: string): Condition {
  return { Single: { expr: { NamedIdent: column }, filters: [{ Exact: value }] } }
}
