// What the editors know: the grammar, and the names there are in the database.
import { keywordCompletionSource, SQLDialect, schemaCompletionSource, sql } from '@codemirror/lang-sql'
import type { Extension } from '@codemirror/state'
import { columnsOf } from '../../api/catalog.ts'
import { send } from '../../api/http.ts'
import { database } from '../../session.ts'

const dialect = SQLDialect.define({
  keywords:
    'select from where group by having order limit offset distinct as on using join left right full inner outer cross asof union all intersect except with recursive values insert into delete create table view database drop alter add column rename to truncate show describe desc explain analyze tql eval admin copy and or not in is null like ilike between case when then else end cast interval exists over partition rows range unbounded preceding following current row asc nulls first last if engine primary key time index default true false align fill',
  types:
    'bigint int integer smallint tinyint double float real boolean varchar string text timestamp date binary decimal json',
  builtin:
    'date_bin date_trunc time_bucket now matches matches_term avg sum min max count approx_quantile median last_value first_value'
})

export async function loadSqlLanguage(db: string): Promise<Extension> {
  const schema: Record<string, { label: string; type: string; detail: string }[]> = {}
  for (const { table, name, type } of await columnsOf(db).catch(() => [])) {
    schema[table] ??= []
    schema[table].push({ label: name, type: 'property', detail: type })
  }
  const names = Object.values(schema).flat()
  const { extension, language } = sql({ dialect })
  return [
    extension,
    language.data.of({ autocomplete: schemaCompletionSource({ dialect, schema }) }),
    language.data.of({ autocomplete: keywordCompletionSource(dialect) }),
    // Columns are wanted before the table is written, too.
    language.data.of({
      autocomplete: (context: { matchBefore(pattern: RegExp): { from: number } | null; explicit: boolean }) => {
        const word = context.matchBefore(/\w+/)
        return word === null ? null : { from: word.from, options: names, validFor: /^\w*$/ }
      }
    })
  ]
}

/** Metric names, labels and functions come from the server's own API. */
export async function loadPromqlLanguage(): Promise<Extension> {
  const { PromQLExtension } = await import('@prometheus-io/codemirror-promql')
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
  return new PromQLExtension().setComplete({ remote }).activateLinter(true).asExtension()
}
