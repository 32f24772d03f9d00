// All metrics by name, with type and unit.
import { useState } from 'preact/hooks'
import type { Metadata } from '../../api/promql.ts'
import { SearchBox } from '../../components/search-box.tsx'

/** Names in the page; a search finds the others. */
const maxNames = 300

interface MetricListProps {
  readonly names: readonly string[]
  readonly about: Readonly<Record<string, readonly Metadata[]>>
  readonly chosen: string | null
  onChoose(name: string): void
}

export function MetricList({ names, about, chosen, onChoose }: MetricListProps) {
  const [wanted, setWanted] = useState('')
  const words = wanted.toLowerCase().split(/\s+/)
  const found = names.filter(name => {
    const text = `${name} ${about[name]?.[0]?.help ?? ''}`.toLowerCase()
    return words.every(word => text.includes(word))
  })
  return (
    <section class="card metric-list" aria-label="Metrics">
      <SearchBox label="Search metrics" placeholder="Search by name or help" value={wanted} onChange={setWanted} />
      <p class="quiet" role="status">
        {found.length} of {names.length}
        {found.length > maxNames && `, the first ${maxNames}`}
      </p>
      <ul tabIndex={-1}>
        {found.slice(0, maxNames).map(name => (
          <li key={name}>
            <button
              type="button"
              class="plain"
              aria-pressed={name === chosen}
              title={about[name]?.[0]?.help}
              onClick={() => onChoose(name)}
            >
              <span class="mono">{name}</span>
              <span class="quiet">{about[name]?.[0]?.type}</span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  )
}
