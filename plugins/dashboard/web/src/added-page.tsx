// A page of another plugin: a module that fills an element.
import { effect } from '@preact/signals'
import type { ComponentType } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { DashboardHost, DashboardMount } from '../../host.ts'
import { send } from './api/http.ts'
import { Problem } from './components/problem.tsx'
import { change, parameters } from './router.ts'
import { isDark } from './theme.ts'

export function addedPage(name: string): { readonly default: ComponentType } {
  return { default: () => <Added name={name} /> }
}

function Added({ name }: { readonly name: string }) {
  const place = useRef<HTMLDivElement>(null)
  const [error, setError] = useState<unknown>()
  useEffect(() => {
    let end: ReturnType<DashboardMount>
    let gone = false
    import(/* @vite-ignore */ `/dashboard/pages/${name}.js`)
      .then((module: { readonly default: DashboardMount }) => {
        if (!gone) end = module.default(place.current!, host())
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
      <div ref={place} class="stack" />
    </>
  )
}

function host(): DashboardHost {
  return {
    request: send,
    parameters: () => parameters.value,
    change,
    follow: show => effect(() => show(parameters.value)),
    get isDark() {
      return isDark.value
    }
  }
}
