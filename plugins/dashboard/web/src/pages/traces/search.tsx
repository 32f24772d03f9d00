// Searches traces of a service.
import { useEffect } from 'preact/hooks'
import { loadTraceFacts } from '../../api/trace-facts.ts'
import { operations, searchTraces } from '../../api/traces.ts'
import { Problem } from '../../components/problem.tsx'
import { addressOf, change, go, parameters } from '../../router.ts'
import { database } from '../../session.ts'
import { useLoaded } from '../../task.ts'
import { currentSpan, timeWords } from '../../time.ts'
import { Results, type ResultsProps } from './results.tsx'
import { fields, searchWords } from './search-words.ts'
import { learnServices } from './service-colour.ts'

export function Search() {
  const read = (name: string) => parameters.value.get(name) ?? ''
  const service = read('service')
  const known = useLoaded(signal => learnServices(signal), [database.value])
  const does = useLoaded(async signal => (service === '' ? [] : operations(service, signal)), [service, database.value])
  const found = useLoaded(
    async signal => (service === '' ? undefined : load(service, read, signal)),
    [parameters.value.toString(), database.value, timeWords.value]
  )
  useEffect(() => {
    if (service === '' && known.value?.[0] !== undefined) change({ service: known.value[0] }, true)
  }, [known.value])

  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget as HTMLFormElement)
    const id = String(form.get('id')).trim()
    if (id !== '') go(addressOf('traces', { ...searchWords(), trace: id }))
    else change(Object.fromEntries(fields.map(name => [name, String(form.get(name)).trim()])))
  }
  return (
    <>
      {known.error !== undefined && <Problem error={known.error} />}
      {known.value?.length === 0 && (
        <p class="empty">
          There are no traces in {database.value} yet. <a href="/dashboard/ingest">How to send some</a>.
        </p>
      )}
      <form class="card trace-search" onSubmit={submit} key={parameters.value.toString()}>
        <label class="field">
          <span>Service</span>
          <select
            value={service}
            onChange={event => change({ service: event.currentTarget.value, operation: undefined })}
          >
            {(known.value ?? [service]).map(name => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </label>
        <label class="field">
          <span>Operation</span>
          <select name="operation" defaultValue={read('operation')}>
            <option value="">any</option>
            {(does.value ?? []).map(name => (
              <option key={name} selected={name === read('operation')}>
                {name}
              </option>
            ))}
          </select>
        </label>
        <Field name="tags" title="Tags" value={read('tags')} placeholder="http.status_code=500 error=true" />
        <Field name="min" title="At least" value={read('min')} placeholder="100ms" />
        <Field name="max" title="At most" value={read('max')} placeholder="2s" />
        <Field name="limit" title="Traces" value={read('limit') || '20'} placeholder="20" />
        <Field name="id" title="Or by its id" value="" placeholder="32 hexadecimal digits" />
        <button class="main" type="submit">
          Search
        </button>
      </form>
      {found.error !== undefined && <Problem error={found.error} />}
      {found.error === undefined && found.value && <Results {...found.value} />}
    </>
  )
}

async function load(service: string, read: (name: string) => string, signal: AbortSignal): Promise<ResultsProps> {
  const span = currentSpan()
  const [operation, tags, minDuration, maxDuration] = ['operation', 'tags', 'min', 'max'].map(read)
  const limit = Number(read('limit')) || 20
  const search = { service, operation, tags, minDuration, maxDuration, ...span }
  const [traces, all] = await Promise.all([
    searchTraces({ ...search, limit }, signal),
    // The list says what is wrong.
    loadTraceFacts(search, { db: database.value, signal }).catch(() => undefined)
  ])
  return { traces, all, span }
}

interface FieldProps {
  readonly name: string
  readonly title: string
  readonly value: string
  readonly placeholder: string
}

function Field({ name, title, value, placeholder }: FieldProps) {
  return (
    <label class="field">
      <span>{title}</span>
      <input name={name} defaultValue={value} placeholder={placeholder} />
    </label>
  )
}
