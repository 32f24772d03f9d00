// A component whose code is loaded when it is first shown.
import type { ComponentType, VNode } from 'preact'
import { useEffect, useState } from 'preact/hooks'

export function lazy<P extends object>(load: () => Promise<ComponentType<P>>): (props: P) => VNode {
  let loaded: ComponentType<P> | undefined
  return props => {
    const [View, setView] = useState(() => loaded)
    const [error, setError] = useState<unknown>()
    useEffect(() => {
      load().then(
        view => {
          loaded = view
          setView(() => view)
        },
        reason => setError(reason)
      )
    }, [])
    if (error !== undefined) throw error
    return View === undefined ? <p class="empty">Loading …</p> : <View {...props} />
  }
}
