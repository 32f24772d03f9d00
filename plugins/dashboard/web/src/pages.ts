// All pages, in the order of the navigation. Each is loaded when it is first shown.
import { signal } from '@preact/signals'
import type { ComponentType } from 'preact'
import { addedPage } from './added-page.tsx'
import { json } from './api/http.ts'

export interface Page {
  /** Its address is `/dashboard/{name}`. */
  readonly name: string
  readonly title: string
  load(): Promise<{ readonly default: ComponentType }>
}

const own: readonly Page[] = [
  { name: 'home', title: 'Home', load: () => import('./pages/home/index.tsx') },
  { name: 'query', title: 'Query', load: () => import('./pages/query/index.tsx') },
  { name: 'metrics', title: 'Metrics', load: () => import('./pages/metrics/index.tsx') },
  { name: 'logs', title: 'Logs', load: () => import('./pages/logs/index.tsx') },
  { name: 'traces', title: 'Traces', load: () => import('./pages/traces/index.tsx') },
  { name: 'boards', title: 'Dashboards', load: () => import('./pages/boards/index.tsx') },
  { name: 'alerts', title: 'Alerts', load: () => import('./pages/alerts/index.tsx') },
  { name: 'pipelines', title: 'Pipelines', load: () => import('./pages/pipelines/index.tsx') },
  { name: 'ingest', title: 'Ingest', load: () => import('./pages/ingest/index.tsx') },
  { name: 'tables', title: 'Tables', load: () => import('./pages/tables/index.tsx') },
  { name: 'status', title: 'Status', load: () => import('./pages/status/index.tsx') }
]

/** With those of plugins behind our own. */
export const pages = signal<readonly Page[]>(own)

/** Once those of plugins are known. */
export const areComplete = signal(false)

export async function loadAddedPages(): Promise<void> {
  const added = await json<{ name: string; title: string }[]>('/dashboard/pages.json', { db: null }).catch(() => [])
  pages.value = [
    ...own,
    ...added.map(({ name, title }) => ({ name: `x/${name}`, title, load: async () => addedPage(name) }))
  ]
  areComplete.value = true
}
