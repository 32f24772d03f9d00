// SQL for editors: the grammar, and completion of names in the database.

import type { CompletionContext, CompletionSource } from '@codemirror/autocomplete'
import { keywordCompletionSource, SQLDialect, schemaCompletionSource, sql } from '@codemirror/lang-sql'
import type { Extension } from '@codemirror/state'
import { columnsOf } from '../api/catalog.ts'
import { database } from '../session.ts'

const dialect = SQLDialect.define({
  keywords:
    'select from where group by having order limit offset distinct as on using join left right full inner outer cross asof union all intersect except with recursive values insert into delete create table view database drop alter add column rename to truncate show describe desc explain analyze tql eval admin copy and or not in is null like ilike between case when then else end cast interval exists over partition rows range unbounded preceding following current row asc nulls first last if engine primary key time index default true false align fill',
  types:
    'bigint int integer smallint tinyint double float real boolean varchar string text timestamp date binary decimal json',
  builtin:
    'date_bin date_trunc time_bucket now matches matches_term avg sum min max count approx_quantile median last_value first_value'
})

export function sqlLanguage(): Extension {
  const { extension, language } = sql({ dialect })
  // Names are asked for when completion is, once for each database.
  let known: { readonly db: string; readonly sources: Promise<readonly CompletionSource[]> } | undefined
  const sourcesOf = (db: string) => {
    if (known?.db !== db) known = { db, sources: loadSources(db) }
    return known.sources
  }
  const named = (at: number) => async (context: CompletionContext) =>
    (await sourcesOf(database.value))[at]?.(context) ?? null
  return [
    extension,
    language.data.of({ autocomplete: named(0) }),
    language.data.of({ autocomplete: keywordCompletionSource(dialect) }),
    language.data.of({ autocomplete: named(1) })
  ]
}

async function loadSources(db: string): Promise<readonly CompletionSource[]> {
  const schema: Record<string, { label: string; type: string; detail: string }[]> = {}
  for (const { table, name, type } of await columnsOf(db).catch(() => [])) {
    schema[table] ??= []
    schema[table].push({ label: name, type: 'property', detail: type })
  }
  const names = Object.values(schema).flat()
  return [
    schemaCompletionSource({ dialect, schema }),
    // Columns are offered before the table is typed, too.
    context => {
      const word = context.matchBefore(/\w+/)
      return word === null ? null : { from: word.from, options: names, validFor: /^\w*$/ }
    }
  ]
}
