// Queries that were run, and those that were kept under a name; in the browser's storage.
import { signal } from '@preact/signals'
import { useState } from 'preact/hooks'
import type { Language } from './ask.ts'

export interface SavedQuery {
  readonly language: Language
  readonly text: string
  readonly name?: string
}

const most = 50
const history = signal(read('weir.history'))
const saved = signal(read('weir.saved'))

export function keepInHistory(query: SavedQuery): void {
  const others = history.value.filter(other => other.text !== query.text || other.language !== query.language)
  history.value = [query, ...others].slice(0, most)
  localStorage.setItem('weir.history', JSON.stringify(history.value))
}

function keepSaved(queries: readonly SavedQuery[]): void {
  saved.value = queries
  localStorage.setItem('weir.saved', JSON.stringify(queries))
}

export interface SavedProps {
  readonly current: SavedQuery
  onChoose(query: SavedQuery): void
}

export function Saved({ current, onChoose }: SavedProps) {
  const [name, setName] = useState('')
  const save = (event: SubmitEvent) => {
    event.preventDefault()
    keepSaved([{ ...current, name }, ...saved.value.filter(each => each.name !== name)])
    setName('')
  }
  return (
    <details class="menu saved">
      <summary>Saved</summary>
      <div class="sheet">
        <form class="bar" onSubmit={save}>
          <input
            aria-label="Name of this query"
            placeholder="Name of this query"
            value={name}
            required
            onInput={event => setName(event.currentTarget.value)}
          />
          <button type="submit" disabled={current.text.trim() === ''}>
            Save
          </button>
        </form>
        {saved.value.length > 0 && <h3>Saved</h3>}
        {saved.value.map(query => (
          <div class="bar" key={query.name}>
            <button type="button" class="plain" title={query.text} onClick={() => onChoose(query)}>
              {query.name}
            </button>
            <span class="space" />
            <button
              type="button"
              class="plain"
              aria-label={`Remove ${query.name}`}
              onClick={() => keepSaved(saved.value.filter(each => each !== query))}
            >
              ×
            </button>
          </div>
        ))}
        {history.value.length > 0 && <h3>History</h3>}
        {history.value.slice(0, 20).map(query => (
          <button type="button" class="plain mono" key={query.language + query.text} onClick={() => onChoose(query)}>
            {query.text.length > 60 ? `${query.text.slice(0, 60)}…` : query.text}
          </button>
        ))}
      </div>
    </details>
  )
}

function read(key: string): readonly SavedQuery[] {
  try {
    const found: unknown = JSON.parse(localStorage.getItem(key) ?? '[]')
    return Array.isArray(found) ? (found as SavedQuery[]) : []
  } catch {
    return []
  }
}
