// Long lists as JSON within a constant of SQL.
import type { Steps } from '../../pace.ts'

/** Items of one step. */
const stepItems = 1_024

/** A list as JSON, escaped as `quoteText` does it, without the quotes around it. */
export function* quotedJson(list: readonly unknown[], quoteText: (text: string) => string): Steps<string> {
  const parts: string[] = []
  for (let from = 0; from < list.length; from += stepItems) {
    const json = JSON.stringify(list.slice(from, from + stepItems)).slice(1, -1)
    parts.push(quoteText(json).slice(1, -1))
    yield
  }
  return `[${parts.join(',')}]`
}
