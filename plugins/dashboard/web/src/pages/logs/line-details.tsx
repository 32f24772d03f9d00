// All fields of one line, with filters for each value, its trace and the lines around it.
import { useRef, useState } from 'preact/hooks'
import { queryLogs } from '../../api/logs.ts'
import type { Column } from '../../api/sql.ts'
import { textOf, writeJson } from '../../cell.ts'
import { CopyButton } from '../../components/copy-button.tsx'
import { Drawer } from '../../components/drawer.tsx'
import { Problem } from '../../components/problem.tsx'
import { levelOf } from '../../levels.ts'
import { addressOf, change } from '../../router.ts'
import { useLoaded } from '../../task.ts'
import { exactTime, formatTime, isTime, readTicks } from '../../time.ts'
import { Context } from './context.tsx'
import { FieldTable } from './field-table.tsx'
import { lineIds, timeOfLine } from './line-id.ts'
import type { LineSchema } from './lines.tsx'
import { Message } from './message.tsx'

type Row = readonly unknown[]

interface Found {
  readonly columns: readonly Column[]
  readonly row: Row | undefined
}

interface LineDetailsProps extends LineSchema {
  readonly id: string
  /** Lines of the page, and what they are called. */
  readonly rows: readonly Row[]
  readonly ids: readonly string[]
}

const close = () => change({ line: undefined }, true)

export function LineDetails({ id, rows, ids, ...schema }: LineDetailsProps) {
  const index = ids.indexOf(id)
  // A link may show a line that is not among those of the page.
  const [isMissing] = useState(index < 0)
  const other = useLoaded(async signal => (isMissing ? loadLine(id, schema, signal) : undefined), [id, isMissing])
  // A new filter may leave the line out; it stays in sight all the same.
  const seen = useRef<Found>(undefined)
  if (index >= 0) seen.current = { columns: schema.columns, row: rows[index] }
  const { columns = schema.columns, row } = seen.current ?? other.value ?? {}
  const go = (to: number) => change({ line: ids[to] }, true)
  return (
    <Drawer title="Line" onClose={close}>
      {index >= 0 && (
        <div class="bar">
          <button type="button" disabled={index === 0} onClick={() => go(index - 1)}>
            Newer
          </button>
          <button type="button" disabled={index === rows.length - 1} onClick={() => go(index + 1)}>
            Older
          </button>
        </div>
      )}
      {other.error !== undefined && <Problem error={other.error} />}
      {row && <Whole {...schema} columns={columns} row={row} />}
      {row === undefined && other.error === undefined && (
        <p class="quiet">{other.isRunning ? 'Loading …' : 'This line is not there any more.'}</p>
      )}
    </Drawer>
  )
}

function Whole({ row, ...schema }: LineSchema & { readonly row: Row }) {
  const { table, columns, level } = schema
  const cell = (name: string | undefined) => row[columns.findIndex(column => column.name === name)]
  const trace = cell(table.trace)
  const grave = cell(level)
  const json = writeJson(
    Object.fromEntries(
      columns.map(({ name, type }, i) => [name, isTime(type) && row[i] !== null ? exactTime(row[i], type) : row[i]])
    ),
    2
  )
  return (
    <>
      <p>
        {formatTime(readTicks(cell(table.time.name), table.time.type))}
        {level !== undefined && <span class={`level ${levelOf(grave, level)}`}> {textOf(grave)}</span>}
      </p>
      {table.message !== undefined && (
        <pre class="card" tabIndex={0}>
          <Message text={textOf(cell(table.message))} marker={undefined} />
        </pre>
      )}
      <div class="bar">
        {typeof trace === 'string' && /[^0]/.test(trace) && (
          <a class="button" href={addressOf('traces', { trace })}>
            Trace
          </a>
        )}
        <CopyButton title="Copy as JSON" text={() => json} />
        <CopyButton title="Copy link" text={() => location.href} />
      </div>
      <FieldTable columns={columns} row={row} time={table.time.name} />
      <Context {...schema} row={row} />
      <details>
        <summary>JSON</summary>
        <pre class="card" tabIndex={0}>
          {json}
        </pre>
      </details>
    </>
  )
}

async function loadLine(id: string, { table }: LineSchema, signal: AbortSignal): Promise<Found | undefined> {
  const ticks = timeOfLine(id)
  if (ticks === undefined) return undefined
  const at = {
    Single: { expr: { NamedIdent: table.time.name }, filters: [{ Exact: exactTime(ticks, table.time.type) }] }
  }
  const { columns, rows } = await queryLogs({ table: table.name, filters: at }, signal)
  const timeAt = columns.findIndex(({ name }) => name === table.time.name)
  return { columns, row: rows[lineIds(rows, timeAt).indexOf(id)] ?? rows[0] }
}
