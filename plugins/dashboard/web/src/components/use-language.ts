// The language of an editor, once its code is there.
import type { Extension } from '@codemirror/state'
import { useEffect, useState } from 'preact/hooks'

const loads = {
  sql: async () => (await import('./sql-language.ts')).sqlLanguage(),
  promql: async () => (await import('./promql-language.ts')).promqlLanguage()
}

export function useLanguage(name: keyof typeof loads): Extension {
  const [language, setLanguage] = useState<Extension>([])
  useEffect(() => {
    let isGone = false
    loads[name]().then(
      loaded => !isGone && setLanguage(loaded),
      () => {}
    )
    return () => {
      isGone = true
    }
  }, [name])
  return language
}
