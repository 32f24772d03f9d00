// Queries that took long, and those of this browser.
import { hasOwnTable } from '../../api/catalog.ts'
import { rowsOf } from '../../api/sql.ts'
import { Problem } from '../../components/problem.tsx'
import { history } from '../../history.ts'
import { addressOf } from '../../router.ts'
import { useLoaded } from '../../task.ts'
import { formatDuration, timeWords } from '../../time.ts'

export function SlowQueries() {
  const { value, error } = useLoaded(loadSlow, [timeWords.value])
  return (
    <section class="card stack" aria-label="Slow queries">
      <h2>Slow queries</h2>
      {error !== undefined && <Problem error={error} />}
      {value?.length === 0 && <p class="quiet">None so far.</p>}
      <ul class="links">
        {(value ?? []).map(({ query, cost, is_promql }, i) => (
          <li key={i}>
            <a class="mono" href={addressOf('query', { q: query, ...(is_promql && { lang: 'promql' }) })}>
              {query}
            </a>
            <span class="quiet">{formatDuration(cost)}</span>
          </li>
        ))}
      </ul>
    </section>
  )
}

export function LastQueries() {
  return (
    <section class="card stack" aria-label="Last queries">
      <h2>Last queries of this browser</h2>
      {history.value.length === 0 && (
        <p class="quiet">
          None yet. <a href={addressOf('query')}>Ask something</a>.
        </p>
      )}
      <ul class="links">
        {history.value.slice(0, 8).map(({ language, text }) => (
          <li key={language + text}>
            <a class="mono" href={addressOf('query', { q: text, ...(language === 'promql' && { lang: language }) })}>
              {text}
            </a>
          </li>
        ))}
      </ul>
    </section>
  )
}

/** `is_promql` is there with the plugin promql. */
async function loadSlow(signal: AbortSignal) {
  if (!(await hasOwnTable('slow_queries', { signal }))) return []
  return rowsOf<{ query: string; cost: number; is_promql?: boolean }>(
    'SELECT * FROM svc_private.slow_queries ORDER BY timestamp DESC LIMIT 5',
    { signal }
  )
}
