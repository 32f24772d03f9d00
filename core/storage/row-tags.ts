// Tags of rows by keys: known keys become series numbers at once, unknown ones get columns and numbers first.
import { DbError } from '../errors.ts'
import type { Column, TableWrite } from '../model/batch.ts'
import type { SeriesLabel } from '../model/series.ts'
import type { Table } from '../model/table.ts'
import { endsStep, type Steps } from '../pace.ts'
import { checkLabels } from './check-columns.ts'
import type { Catalog, ResolvedWrite, SeriesNumbers } from './engine.ts'
import type { LimitsOf } from './limits.ts'
import { checkName } from './schema.ts'
import { seriesOf, seriesQuota, type WriteQuota } from './write-quota.ts'

/** Series checked in one step. */
export const stepSeries = 256

/** The plugin and database of the keys, and the request's write quota. */
interface TagScope {
  readonly plugin: string
  readonly database: string
  readonly quota: WriteQuota
}

/** A write, and the tags that the catalog does not know yet. */
export interface TaggedWrite {
  readonly write: TableWrite
  /** The write with an empty column for each new tag, for the rules that create and widen tables. */
  readonly planned: TableWrite
  readonly numbers: SeriesNumbers | undefined
  readonly added: readonly { readonly index: number; readonly labels: readonly SeriesLabel[] }[]
}

/** Reads the tags of unknown keys. Throws DbError `InvalidArguments` for a name that no column can have, LimitReached, and what `labels` throws. */
export function* findTags(
  catalog: Catalog,
  { plugin, database, quota }: TagScope,
  write: TableWrite
): Steps<TaggedWrite> {
  const { tags } = write
  if (tags === undefined) return { write, planned: write, numbers: undefined, added: [] }
  const scope = [plugin, database].join('\0')
  const numbers = yield* catalog.findSeries(scope, tags.keys, write.table)
  if (numbers.unknown.length === 0) return { write, planned: write, numbers, added: [] }
  const added: { readonly index: number; readonly labels: readonly SeriesLabel[] }[] = []
  const names = new Set<string>()
  const made = { physicalTable: write.options?.physical_table, columns: write.columns.map(column => column.name) }
  const own = quota.table(database, write.table, made)
  for (const [i, index] of numbers.unknown.entries()) {
    if (endsStep(i, stepSeries)) yield
    own.checkLength(tags.keys.ends[index]! - tags.keys.starts[index]!)
    const labels = tags.labels(index)
    checkLabels(`table ${write.table}`, labels)
    own.acquire(labels)
    for (const { name } of labels) names.add(name)
    added.push({ index, labels })
  }
  for (const name of names) checkName('column', name)
  return { write, planned: { ...write, columns: [...Array.from(names, emptyTag), ...write.columns] }, numbers, added }
}

/**
 * The write with its table, which now has all columns, and series numbers for its tags. Throws DbError `InvalidArguments` if a tag is another kind of
 * column in the table.
 */
export function* introduceTags(
  catalog: Catalog,
  limitsOf: LimitsOf,
  found: ResolvedWrite,
  tagged: TaggedWrite
): Steps<ResolvedWrite> {
  const { write, numbers, added } = tagged
  if (numbers === undefined || write.tags === undefined) return found
  const { table } = found
  const tags = new Set(table.tags.map(({ name }) => name))
  for (const { name } of write.columns) if (tags.has(name)) throw semanticMismatch(table, name, 'tag', 'field')
  const value = table.timeIndex.name
  const limit = limitsOf(table.database).series
  // Near the limit, one by one: several keys may stand for the same series.
  const size = seriesOf(catalog, table) + added.length <= limit.max ? stepSeries : 1
  for (let from = 0; from < added.length; from += size) {
    if (from > 0 && from % stepSeries === 0) yield
    const some = added.slice(from, from + size)
    for (const { labels } of some) checkTags(table, tags, labels)
    const quota = seriesQuota(catalog, table, limit)
    for (const { labels } of some) quota.take(labels, some.length)
    catalog.addSeries(
      numbers,
      some.map(({ index, labels }) => ({ index, table, value, labels }))
    )
  }
  return { ...found, columns: write.columns, tags: { numbers, series: write.tags.series } }
}

function checkTags(table: Table, tags: ReadonlySet<string>, labels: readonly SeriesLabel[]): void {
  const other = labels.find(({ name }) => !tags.has(name))
  if (other !== undefined) throw semanticMismatch(table, other.name, 'field', 'tag')
  const missing = table.tags.find(({ name, nullable }) => !nullable && !labels.some(label => label.name === name))
  if (missing === undefined) return
  throw new DbError(
    'InvalidArguments',
    `column ${missing.name} of table ${table.name} takes no nulls and is missing in a row`
  )
}

function semanticMismatch({ name: table }: Table, name: string, stored: string, given: string): DbError {
  return new DbError(
    'InvalidArguments',
    `Column semantic_type incompatible. Column ${name} of table ${table} is a ${stored}, the write has a ${given} of that name`
  )
}

function emptyTag(name: string): Column {
  const data = { kind: 'bytes', offsets: new Uint32Array(1), bytes: new Uint8Array() } as const
  return { name, type: 'String', semantic: 'tag', data }
}
