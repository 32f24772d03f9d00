// Ingest: sends pasted or dropped data, and shows how to configure agents.
import { useState } from 'preact/hooks'
import { Choice } from '../../components/choice.tsx'
import { Problem } from '../../components/problem.tsx'
import { Snippets } from '../../components/snippets.tsx'
import { addressOf, change, parameters } from '../../router.ts'
import { database } from '../../session.ts'
import { useTask } from '../../task.ts'
import { DropArea } from './drop-area.tsx'
import { type Field, type Format, formats } from './formats.ts'
import './ingest.css'

export default function Ingest() {
  const format = formats.find(({ name }) => name === parameters.value.get('format')) ?? formats[0]!
  return (
    <>
      <h1>Ingest</h1>
      <Send key={format.name} format={format} />
      <Snippets />
    </>
  )
}

function Send({ format }: { readonly format: Format }) {
  const [body, setBody] = useState<string | File>('')
  const task = useTask<{ readonly note: string; readonly table: string | undefined }>()
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget as HTMLFormElement)
    const value = (name: string) => String(form.get(name) ?? '').trim()
    void task.run(async signal => ({
      note: await format.send(body, value, signal),
      table: format.fields.some(({ name }) => name === 'table') ? value('table') : undefined
    }))
  }
  return (
    <form class="card stack" onSubmit={submit}>
      <Choice
        label="Format"
        value={format.name}
        options={formats.map(({ name, title }) => ({ value: name, title }))}
        onChange={name => change({ format: name === formats[0]!.name ? undefined : name })}
      />
      <div class="bar">
        {format.fields.map(field => (
          <FormField key={field.name} field={field} />
        ))}
        <span class="quiet">into database {database.value}</span>
      </div>
      <DropArea body={body} example={format.example} onChange={setBody} />
      <div class="bar">
        <button
          type="submit"
          class="main"
          disabled={task.isRunning || (typeof body === 'string' && body.trim() === '')}
        >
          Send
        </button>
        {task.isRunning && (
          <button type="button" onClick={task.cancel}>
            Cancel
          </button>
        )}
        {task.value && task.error === undefined && !task.isRunning && (
          <span role="status">
            {task.value.note}{' '}
            {task.value.table !== undefined && (
              <a
                href={addressOf('query', { q: `SELECT * FROM "${task.value.table.replaceAll('"', '""')}" LIMIT 100` })}
              >
                Look at {task.value.table}
              </a>
            )}
          </span>
        )}
      </div>
      {task.error !== undefined && <Problem error={task.error} />}
    </form>
  )
}

function FormField({ field: { name, title, initial, options, isRequired } }: { readonly field: Field }) {
  const id = `field-${name}`
  return (
    <span class="field">
      <label for={id}>{title}</label>
      {options === undefined ? (
        <input id={id} name={name} defaultValue={initial} required={isRequired ?? false} />
      ) : (
        <select id={id} name={name} defaultValue={initial}>
          {options.map(option => (
            <option key={option}>{option}</option>
          ))}
        </select>
      )}
    </span>
  )
}
