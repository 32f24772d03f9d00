// Matches events against Datadog queries.
import type { FunctionSpec } from '../../function.ts'
import { kinds } from '../../kind.ts'
import { isText, lossy, type ObjectValue } from '../../value.ts'
import { compileQuery } from './match.ts'
import { parseQuery } from './query.ts'

export const datadog: readonly FunctionSpec[] = [
  {
    name: 'match_datadog_query',
    summary:
      'True if the object fits a query in the search syntax of Datadog logs: words of the message, `@attribute:value`, `tag:value`, ' +
      'wildcards, `[1 TO 5]`, `>=`, `_exists_:`, `_missing_:`, AND, OR, NOT and parentheses.',
    params: [
      { name: 'value', kind: kinds.object },
      { name: 'query', kind: kinds.string, constant: true }
    ],
    returns: kinds.boolean,
    prepare: call => {
      const query = call.constant('query')
      try {
        const matches = compileQuery(parseQuery(isText(query) ? lossy(query) : ''))
        return (value: ObjectValue) => matches(value)
      } catch (error) {
        if (error instanceof RangeError || !(error instanceof Error)) throw error
        throw call.invalid('query', `failed to build matcher: ${error.message}`)
      }
    },
    examples: [
      {
        title: 'Words',
        source: 'match_datadog_query({"message": "disk is full"}, "full AND (disk OR tape)")',
        result: 'true'
      },
      {
        title: 'An attribute',
        source: 'match_datadog_query({"http": {"status": 503}}, "@http.status:>=500")',
        result: 'true'
      },
      {
        title: 'A tag',
        source: 'match_datadog_query({"tags": ["env:prod-3"]}, "env:prod-* -env:prod-1")',
        result: 'true'
      }
    ]
  }
]
