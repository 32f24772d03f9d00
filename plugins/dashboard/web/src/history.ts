// Queries that were run; in the browser's storage.
import { signal } from '@preact/signals'

export interface KeptQuery {
  readonly language: 'sql' | 'promql'
  readonly text: string
}

const maxEntries = 50

export const history = signal(readQueries<KeptQuery>('weir.history'))

export function keepInHistory(query: KeptQuery): void {
  const others = history.value.filter(other => other.text !== query.text || other.language !== query.language)
  history.value = [query, ...others].slice(0, maxEntries)
  localStorage.setItem('weir.history', JSON.stringify(history.value))
}

export function readQueries<T extends KeptQuery>(key: string): readonly T[] {
  try {
    const found: unknown = JSON.parse(localStorage.getItem(key) ?? '[]')
    return Array.isArray(found) ? (found as T[]) : []
  } catch {
    return []
  }
}
