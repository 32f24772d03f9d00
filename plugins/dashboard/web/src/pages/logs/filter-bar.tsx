// Words to search for, and filters by column: those there are, and one to be made.
import { useEffect, useState } from 'preact/hooks'
import type { LogTable } from '../../log-tables.ts'
import { change } from '../../router.ts'
import { type Filter, needsValue, type Operator, operators, operatorsOf, showFilters, wordsOf } from './filters.ts'

interface FilterBarProps {
  readonly table: LogTable
  readonly text: string
  readonly ignoresCase: boolean
  readonly filters: readonly Filter[]
}

export function FilterBar({ table, text, ignoresCase, filters }: FilterBarProps) {
  const [draft, setDraft] = useState<Filter>()
  const edit = (index: number) => {
    setDraft(filters[index])
    showFilters(filters.filter((_, i) => i !== index))
  }
  return (
    <section class="stack log-search" aria-label="Search">
      <div class="bar">
        <Words text={text} ignoresCase={ignoresCase} />
        <button
          type="button"
          aria-expanded={draft !== undefined}
          onClick={() => setDraft(draft ? undefined : empty(table))}
        >
          Add filter
        </button>
      </div>
      {draft && (
        <Builder
          table={table}
          draft={draft}
          onChange={setDraft}
          onDone={filter => {
            setDraft(undefined)
            showFilters([...filters, filter])
          }}
        />
      )}
      {filters.length > 0 && (
        <ul class="chips" aria-label="Filters">
          {filters.map((filter, i) => (
            <li key={wordsOf(filter)} class="chip">
              <button type="button" class="plain" title="Edit" onClick={() => edit(i)}>
                {wordsOf(filter)}
              </button>
              <button
                type="button"
                class="plain"
                aria-label={`Remove ${wordsOf(filter)}`}
                onClick={() => showFilters(filters.filter((_, index) => index !== i))}
              >
                ×
              </button>
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}

function Words({ text, ignoresCase }: { readonly text: string; readonly ignoresCase: boolean }) {
  const [written, setWritten] = useState(text)
  useEffect(() => setWritten(text), [text])
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    change({ q: written.trim(), line: undefined, rows: undefined })
  }
  return (
    <form class="bar words" onSubmit={submit}>
      <input
        type="search"
        class="mono"
        aria-label="Search in lines"
        placeholder={'timeout "connection reset" -health'}
        value={written}
        onInput={event => setWritten(event.currentTarget.value)}
      />
      <button
        type="button"
        aria-pressed={ignoresCase}
        title="Small and capital letters are the same; slower in long times"
        onClick={() => change({ case: ignoresCase ? undefined : 'any' })}
      >
        Ignore case
      </button>
      <button class="main" type="submit">
        Search
      </button>
    </form>
  )
}

interface BuilderProps {
  readonly table: LogTable
  readonly draft: Filter
  onChange(draft: Filter): void
  onDone(filter: Filter): void
}

function Builder({ table, draft, onChange, onDone }: BuilderProps) {
  const columns = table.columns.filter(({ semantic }) => semantic !== 'TIMESTAMP')
  const offered = operatorsOf(columns.find(({ name }) => name === draft.column)?.type ?? '')
  const operator = offered.includes(draft.operator) ? draft.operator : offered[0]!
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    onDone({ ...draft, operator })
  }
  return (
    <form class="bar card" aria-label="Filter" onSubmit={submit}>
      <select
        aria-label="Column"
        value={draft.column}
        onChange={event => onChange({ ...draft, column: event.currentTarget.value })}
      >
        {columns.map(({ name }) => (
          <option key={name}>{name}</option>
        ))}
      </select>
      <select
        aria-label="Operator"
        value={operator}
        onChange={event => onChange({ ...draft, operator: event.currentTarget.value as Operator })}
      >
        {offered.map(each => (
          <option key={each} value={each}>
            {operators[each]}
          </option>
        ))}
      </select>
      {needsValue(operator) && (
        <input
          class="mono"
          aria-label="Value"
          placeholder={examples[operator] ?? ''}
          value={draft.value}
          onInput={event => onChange({ ...draft, value: event.currentTarget.value })}
        />
      )}
      <button type="submit">Apply</button>
    </form>
  )
}

const examples: Partial<Record<Operator, string>> = {
  in: 'a, b, c',
  has: '"user.id": "u1"',
  hasnt: '"user.id": "u1"',
  words: 'error AND "connection reset"'
}

function empty({ columns, message }: LogTable): Filter {
  const other = columns.find(({ semantic, name }) => semantic !== 'TIMESTAMP' && name !== message)
  return { column: other?.name ?? message ?? '', operator: 'is', value: '' }
}
