// The general engine, for all expressions and texts: automata in JavaScript.
import type { RE2JS } from 're2js'
import type { RegexMatch, RegexRoute } from './regex.ts'

export function re2Route(expression: RE2JS): RegexRoute {
  const groups = expression.groupCount() + 1
  return {
    test: text => expression.test(text),
    search(text) {
      const matcher = expression.matcher(text)
      return from => {
        if (!matcher.find(from)) return undefined
        const found: (string | undefined)[] = []
        for (let group = 0; group < groups; group++) {
          const start = matcher.start(group)
          found.push(start < 0 ? undefined : text.slice(start, matcher.end(group)))
        }
        return { start: matcher.start(), end: matcher.end(), groups: found } satisfies RegexMatch
      }
    },
    testBytes: (bytes, start, end) => expression.matcher(bytes.subarray(start, end)).find(),
    find(bytes, start, end, spans) {
      const matcher = expression.matcher(bytes.subarray(start, end))
      if (!matcher.find()) return false
      for (let group = 0; group < groups; group++) {
        const from = matcher.start(group)
        spans[group * 2] = from < 0 ? -1 : start + from
        spans[group * 2 + 1] = from < 0 ? -1 : start + matcher.end(group)
      }
      return true
    }
  }
}
