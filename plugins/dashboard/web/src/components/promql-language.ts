// PromQL for editors: the grammar; completion of metrics, labels and functions, loaded from the server's API when it is first used.
import type { CompletionContext } from '@codemirror/autocomplete'
import { LRLanguage } from '@codemirror/language'
import type { Extension } from '@codemirror/state'
import { parser } from '@prometheus-io/lezer-promql'
import { send } from '../api/http.ts'
import { database } from '../session.ts'

const language = LRLanguage.define({
  parser,
  languageData: { closeBrackets: { brackets: ['(', '[', '{', "'", '"', '`'] }, commentTokens: { line: '#' } }
})

export function promqlLanguage(): Extension {
  let strategy: ReturnType<typeof loadStrategy> | undefined
  return [
    language,
    language.data.of({
      autocomplete: async (context: CompletionContext) => {
        strategy ??= loadStrategy()
        return (await strategy).promQL(context)
      }
    })
  ]
}

async function loadStrategy() {
  const { newCompleteStrategy } = await import('@prometheus-io/codemirror-promql')
  const fetchFn = (input: RequestInfo | URL, init?: RequestInit) => {
    const { pathname, search } = new URL(String(input), location.origin)
    const isForm = init?.method === 'POST'
    return send(pathname + search, {
      method: isForm ? 'POST' : 'GET',
      ...(isForm && { body: init.body as BodyInit, headers: { 'content-type': 'application/x-www-form-urlencoded' } }),
      db: database.value
    })
  }
  const remote = { url: '', apiPrefix: '/v1/metricsys/api/v1', fetchFn, httpMethod: 'GET' as const }
  return newCompleteStrategy({ remote })
}
