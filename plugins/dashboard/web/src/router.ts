// The address says all that is shown, so that a link shows the same again.
import { computed, signal } from '@preact/signals'

const base = '/dashboard/'

const address = signal(new URL(location.href))

/** The page: `query` of `/dashboard/query?…`, `x/mine` of a page a plugin adds; empty for none. */
export const page = computed(() => address.value.pathname.slice(base.length).replace(/\/$/, ''))

export const parameters = computed(() => address.value.searchParams)

type Changes = Readonly<Record<string, string | undefined>>

/** Parameters that hold on all pages: the database, the span of time, how often it is loaded anew. */
const shared = ['db', 'from', 'to', 'refresh'] as const

/** The address of a page, with the parameters all pages share; undefined removes a parameter. */
export function addressOf(name: string, changes: Changes = {}): string {
  const query = new URLSearchParams()
  const kept = shared.map(key => [key, parameters.value.get(key) ?? undefined] as const)
  for (const [key, value] of Object.entries({ ...Object.fromEntries(kept), ...changes }))
    if (value !== undefined && value !== '') query.set(key, value)
  return `${base}${name}${query.size > 0 ? `?${query}` : ''}`
}

export function go(to: string): void {
  history.pushState(null, '', to)
  follow()
}

/** Changes parameters of this page; undefined removes one. `quietly`: without an entry in the browser's history. */
export function change(changes: Changes, quietly = false): void {
  const next = new URL(address.value)
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined || value === '') next.searchParams.delete(name)
    else next.searchParams.set(name, value)
  }
  if (next.href === address.value.href) return
  if (quietly) history.replaceState(null, '', next)
  else history.pushState(null, '', next)
  follow()
}

/** Follows links of this page without loading it anew. */
export function followLinks(): void {
  addEventListener('popstate', follow)
  document.addEventListener('click', event => {
    if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey) return
    const link = event.composedPath().find(each => each instanceof HTMLAnchorElement)
    if (link === undefined || link.target !== '' || link.hasAttribute('download')) return
    if (link.origin !== location.origin || !link.pathname.startsWith(base)) return
    event.preventDefault()
    go(link.href)
  })
}

function follow(): void {
  address.value = new URL(location.href)
}
