// Keyboard shortcuts that work on every page.
import { signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { pages } from '../pages.ts'
import { addressOf, go } from '../router.ts'

/** The overlay above the page; a new object each time one is opened. */
interface Shown {
  readonly kind: 'palette' | 'keys'
}

export const shown = signal<Shown | undefined>(undefined)

/** Milliseconds in which the second key of two is pressed. */
const together = 1000
/** The second key behind `g`. */
export const letters: Readonly<Record<string, string>> = {
  h: 'home',
  q: 'query',
  m: 'metrics',
  l: 'logs',
  t: 'traces',
  d: 'boards',
  a: 'alerts',
  p: 'pipelines',
  i: 'ingest',
  b: 'tables',
  s: 'status'
}

/** Listens to the keys of the whole page. */
export function useKeys(): void {
  useEffect(() => {
    let sinceG = 0
    const press = (event: KeyboardEvent) => {
      if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k') {
        event.preventDefault()
        shown.value = { kind: 'palette' }
        return
      }
      if (event.ctrlKey || event.metaKey || event.altKey || isWriting(event)) return
      const isSecond = Date.now() - sinceG < together
      sinceG = event.key === 'g' && !isSecond ? Date.now() : 0
      const page = isSecond ? letters[event.key] : undefined
      if (page !== undefined && pages.peek().some(({ name }) => name === page)) go(addressOf(page))
      else if (event.key === '?') shown.value = { kind: 'keys' }
      else if (event.key === '/') focusSearch(event)
    }
    addEventListener('keydown', press)
    return () => removeEventListener('keydown', press)
  }, [])
}

/** Keys that a field of the page takes are letters of its text. */
function isWriting(event: KeyboardEvent): boolean {
  const [target] = event.composedPath()
  return target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
}

function focusSearch(event: KeyboardEvent): void {
  const field = document.querySelector<HTMLElement>('main input[type="search"]')
  const editor = document.querySelector('main .editor')?.shadowRoot?.querySelector<HTMLElement>('.cm-content')
  const target = field ?? editor
  if (!target) return
  event.preventDefault()
  target.focus()
}
