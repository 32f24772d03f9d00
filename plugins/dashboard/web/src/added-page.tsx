// A page of another plugin: a module that fills an element.
import { effect, untracked } from '@preact/signals'
import type { ComponentType } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { DashboardHost, DashboardMount } from '../../host.ts'
import { send } from './api/http.ts'
import { Problem } from './components/problem.tsx'
import { Refresh } from './components/refresh.tsx'
import { change, parameters } from './router.ts'
import { isDark } from './theme.ts'
import { timeWords } from './time.ts'

export function addedPage(name: string): { readonly default: ComponentType } {
  return { default: () => <Added name={name} /> }
}

function Added({ name }: { readonly name: string }) {
  const container = useRef<HTMLDivElement>(null)
  const [error, setError] = useState<unknown>()
  const [isRefreshed, setRefreshed] = useState(false)
  useEffect(() => {
    let end: ReturnType<DashboardMount>
    let gone = false
    import(/* @vite-ignore */ `/dashboard/pages/${name}.js`)
      .then((module: { readonly default: DashboardMount }) => {
        if (!gone) end = module.default(container.current!, host(setRefreshed))
      })
      .catch(setError)
    return () => {
      gone = true
      if (end) end()
    }
  }, [name])
  return (
    <>
      {error !== undefined && <Problem error={error} />}
      {isRefreshed && (
        <div class="bar">
          <span class="space" />
          <Refresh />
        </div>
      )}
      <div ref={container} class="stack" />
    </>
  )
}

function host(setRefreshed: (isRefreshed: boolean) => void): DashboardHost {
  return {
    request: send,
    parameters: () => parameters.value,
    change,
    follow: show => effect(() => show(parameters.value)),
    onRefresh(load) {
      setRefreshed(true)
      let isFirst = true
      return effect(() => {
        timeWords.value
        if (!isFirst) untracked(load)
        isFirst = false
      })
    },
    get isDark() {
      return isDark.value
    }
  }
}
