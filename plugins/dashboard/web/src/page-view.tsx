// Shows a page once its code is loaded; an error that it throws is shown in its stead.
import { Component, type ComponentChildren, type ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { Problem } from './components/problem.tsx'
import type { Page } from './pages.ts'

export function PageView({ page }: { readonly page: Page }) {
  const [View, setView] = useState<ComponentType>()
  const [error, setError] = useState<unknown>()
  useEffect(() => {
    page.load().then(
      loaded => {
        setView(() => loaded.default)
        prepareOthers()
      },
      reason => setError(reason)
    )
  }, [page.name])
  if (error !== undefined) return <Problem error={error} />
  if (View === undefined) return <p class="empty">Loading …</p>
  return (
    <Guard>
      <View />
    </Guard>
  )
}

/** Loads the editor in advance: it is most of the code of several pages. */
function prepareOthers(): void {
  const load = () => void import('./components/editor.tsx').catch(() => {})
  if ('requestIdleCallback' in globalThis) requestIdleCallback(load)
  else setTimeout(load, 1_000)
}

class Guard extends Component<{ readonly children: ComponentChildren }, { error?: unknown }> {
  override state: { error?: unknown } = {}

  static override getDerivedStateFromError(error: unknown) {
    return { error }
  }

  override render() {
    return this.state.error === undefined ? this.props.children : <Problem error={this.state.error} />
  }
}
