// Runs a pipeline on sample lines and shows each step; nothing is written.
import { useState } from 'preact/hooks'
import { type DryRun, dryRun, type Step } from '../../api/pipelines.ts'
import { writeJson } from '../../cell.ts'
import { Choice } from '../../components/choice.tsx'
import { DataTable } from '../../components/data-table.tsx'
import { Problem } from '../../components/problem.tsx'
import { useTask } from '../../task.ts'

const types = [
  { value: 'text/plain', title: 'Text' },
  { value: 'application/x-ndjson', title: 'NDJSON' },
  { value: 'application/json', title: 'JSON' }
] as const

type Type = (typeof types)[number]['value']

export function DryRunPart({ yaml }: { readonly yaml: string }) {
  const [data, setData] = useState('')
  const [type, setType] = useState<Type>('text/plain')
  const task = useTask<DryRun>()
  return (
    <section class="card stack" aria-label="Dry run">
      <div class="bar">
        <h2>Dry run</h2>
        <Choice label="Form of the lines" value={type} options={types} onChange={value => setType(value)} />
      </div>
      <textarea
        aria-label="Lines to try"
        rows={4}
        placeholder={'203.0.113.9 - "GET /cart HTTP/1.1" 200'}
        value={data}
        onInput={event => setData(event.currentTarget.value)}
      />
      <div class="bar">
        <button
          type="button"
          disabled={data.trim() === '' || yaml.trim() === ''}
          onClick={() => task.run(signal => dryRun(yaml, data, type, signal))}
        >
          Try
        </button>
        <span class="quiet">Nothing is stored.</span>
      </div>
      {task.error !== undefined && <Problem error={task.error} />}
      {task.value && task.error === undefined && <Result result={task.value} />}
    </section>
  )
}

function Result({ result: { output, trace, warnings = [] } }: { readonly result: DryRun }) {
  return (
    <>
      {warnings.map(({ message }) => (
        <div class="warning" key={message}>
          {message}
        </div>
      ))}
      {output.map(({ table_name, schema, rows }) => (
        <section class="stack" key={table_name} aria-label={`Rows of ${table_name}`}>
          <h3>{table_name}</h3>
          <DataTable
            label={`Rows of ${table_name}`}
            columns={schema.map(columnOf)}
            rows={rows.map(row => row.map(({ value }) => value))}
          />
        </section>
      ))}
      <h3>Step by step</h3>
      {trace.map(({ index, input, steps, error }) => (
        <details key={index} class="trace" open={trace.length === 1 || error !== undefined}>
          <summary>
            Item {index + 1} {error !== undefined && <span class="failed">fails</span>}
          </summary>
          <StepView title="As it came" record={input} />
          {steps.map((step, i) => (
            <StepView key={i} title={titleOf(step)} {...step} />
          ))}
        </details>
      ))}
    </>
  )
}

/** `TIMESTAMP_MILLISECOND` as the answers of queries call it. */
function columnOf({ name, data_type, column_type }: DryRun['output'][number]['schema'][number]) {
  const type = data_type.toLowerCase().replace(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase())
  return { name, type, note: `${data_type} ${column_type}` }
}

function titleOf({ kind, where, pipeline, table_name }: Step): string {
  const target = pipeline === undefined ? '' : ` → ${pipeline}${table_name ? `, table ${table_name}` : ''}`
  return `${kind}, ${where}${target}`
}

interface StepViewProps {
  readonly title: string
  readonly record?: unknown
  readonly error?: string
  readonly dropped?: boolean
}

function StepView({ title, record, error, dropped }: StepViewProps) {
  return (
    <div class="step">
      <strong>{title}</strong>
      {record !== undefined && <pre>{writeJson(record, 2)}</pre>}
      {dropped && <p class="quiet">taken out</p>}
      {error !== undefined && <Problem error={error} />}
    </div>
  )
}
