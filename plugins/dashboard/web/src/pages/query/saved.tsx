// The history of queries, and queries saved under a name; both in the browser's storage.
import { signal } from '@preact/signals'
import { useState } from 'preact/hooks'
import { Menu } from '../../components/menu.tsx'
import { history, type KeptQuery, readQueries } from '../../history.ts'

interface SavedQuery extends KeptQuery {
  readonly name?: string
}

const saved = signal(readQueries<SavedQuery>('weir.saved'))

function keepSaved(queries: readonly SavedQuery[]): void {
  saved.value = queries
  localStorage.setItem('weir.saved', JSON.stringify(queries))
}

interface SavedProps {
  readonly current: SavedQuery
  onChoose(query: SavedQuery): void
}

export function Saved({ current, onChoose }: SavedProps) {
  const [name, setName] = useState('')
  const choose = (query: SavedQuery, close: () => void) => {
    close()
    onChoose(query)
  }
  const save = (event: SubmitEvent) => {
    event.preventDefault()
    keepSaved([{ ...current, name }, ...saved.value.filter(each => each.name !== name)])
    setName('')
  }
  return (
    <Menu class="saved" title="Saved">
      {close => (
        <>
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
              <button type="button" class="plain" title={query.text} onClick={() => choose(query, close)}>
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
            <button
              type="button"
              class="plain mono"
              key={query.language + query.text}
              onClick={() => choose(query, close)}
            >
              {query.text.length > 60 ? `${query.text.slice(0, 60)}…` : query.text}
            </button>
          ))}
        </>
      )}
    </Menu>
  )
}
