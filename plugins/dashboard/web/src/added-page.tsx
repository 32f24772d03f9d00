// A page of another plugin: a module that fills an element.
import type { ComponentType } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { type Request, send } from './api/http.ts'
import { Problem } from './components/problem.tsx'
import { change, parameters } from './router.ts'
import { isDark } from './theme.ts'

/** What a page of a plugin is given. */
export interface Host {
  /** A request to this server with the user and the database of the session. Throws for an answer that is no success. */
  request(path: string, options?: Request): Promise<Response>
  /** Parameters of the page's address. */
  parameters(): URLSearchParams
  /** Changes them; undefined takes one away. */
  change(changes: Readonly<Record<string, string | undefined>>): void
  readonly isDark: boolean
}

type Mount = (element: HTMLElement, host: Host) => (() => void) | undefined

export function addedPage(name: string): { readonly default: ComponentType } {
  return { default: () => <Added name={name} /> }
}

function Added({ name }: { readonly name: string }) {
  const place = useRef<HTMLDivElement>(null)
  const [error, setError] = useState<unknown>()
  useEffect(() => {
    let end: (() => void) | undefined
    let gone = false
    import(/* @vite-ignore */ `/dashboard/pages/${name}.js`)
      .then((module: { readonly default: Mount }) => {
        if (!gone) end = module.default(place.current!, host())
      })
      .catch(setError)
    return () => {
      gone = true
      end?.()
    }
  }, [name])
  return (
    <>
      {error !== undefined && <Problem error={error} />}
      <div ref={place} class="stack" />
    </>
  )
}

function host(): Host {
  return { request: send, parameters: () => parameters.value, change, isDark: isDark.value }
}
