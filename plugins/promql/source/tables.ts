// Resolves a selector to tables: metrics, and other tables with a time index, in the database it names.
import {
  DbError,
  eachPaced,
  mapPaced,
  type Pace,
  type Store,
  type Table,
  type TableColumn,
  type TagMatch
} from '../../../core/index.ts'
import { entry } from '../engine/entry.ts'
import { metricName } from '../engine/labels.ts'
import type { Matcher } from '../language/ast.ts'
import { compileMatcher } from '../language/matcher.ts'

/** Special labels that select database, table or field and are not tags. */
export const databaseLabels: ReadonlySet<string> = new Set(['__database__', '__schema__', 'x_svc_database'])
export const fieldLabel = '__field__'

/** Column of native histograms in metric tables, as the remote write plugin makes it. */
const histogramColumn = 'svc_native_histogram'

/** One table with the columns that are read of it; `matchers` are about its tags. */
export interface MetricTable {
  readonly table: Table
  readonly fields: readonly TableColumn[]
  readonly histogram?: TableColumn
  /** Whether series have a label for their field. */
  readonly namesField: boolean
  readonly matchers: readonly Matcher[]
}

/** Throws DbError if there are more than `max` tables, and the reason of the pace. */
export async function findTables(
  store: Store,
  db: string,
  matchers: readonly Matcher[],
  max: number,
  pace: Pace
): Promise<MetricTable[]> {
  const database = databaseOf(matchers) ?? db
  if (store.database(database) === undefined) return []
  // Of many selectors, none may match a table, so the pace is checked here.
  if (pace.isDue) await pace.pause()
  const names = matchers.filter(({ name }) => name === metricName)
  const tests = names.map(compileMatcher)
  const candidates: Table[] = []
  await eachPaced(pace, named(store, database, names), table => {
    if (tests.every(test => test(table.name))) candidates.push(table)
  })
  if (candidates.length > max) {
    const message = `the selector names ${candidates.length} metrics, at most ${max} are read (plugins.promql.max_metrics)`
    throw new DbError('InvalidArguments', message)
  }
  const rest = matchers.filter(({ name }) => name !== metricName && name !== fieldLabel && !databaseLabels.has(name))
  const fieldTests = matchers.filter(({ name }) => name === fieldLabel).map(compileMatcher)
  return (await mapPaced(pace, candidates, table => readable(table, fieldTests, rest))).flat()
}

function databaseOf(matchers: readonly Matcher[]): string | undefined {
  return matchers.find(({ name, op }) => databaseLabels.has(name) && op === '=')?.value.replace(/^svc-/, '')
}

/** Metric tables: those that share a physical table. */
export function metricTables(store: Store, database: string): readonly Table[] {
  return store.tables(database).filter(({ options }) => options.physical_table !== undefined)
}

/** The table of a given name; otherwise all metric tables. */
function named(store: Store, database: string, names: readonly Matcher[]): readonly Table[] {
  const exact = names.find(({ op }) => op === '=')
  if (exact === undefined) return metricTables(store, database)
  const table = store.table(database, exact.value)
  return table === undefined || table.options.physical_metric_table ? [] : [table]
}

function readable(
  table: Table,
  fieldTests: readonly ((name: string) => boolean)[],
  matchers: readonly Matcher[]
): MetricTable[] {
  const fields = table.columns.filter(
    ({ semantic, name }) => semantic === 'field' && fieldTests.every(test => test(name))
  )
  const numbers = fields.filter(({ type }) => /^(Float|Int|UInt|Decimal|Boolean)/.test(type))
  const isMetric = table.options.physical_table !== undefined
  const histogram = isMetric ? fields.find(({ name, type }) => name === histogramColumn && type === 'Json') : undefined
  if (numbers.length === 0 && histogram === undefined) return []
  const namesField = !isMetric && numbers.length > 1
  return [{ table, fields: numbers, ...(histogram && { histogram }), namesField, matchers }]
}

/** Matchers as the store takes them. */
export function tagMatches(matchers: readonly Matcher[]): TagMatch[] {
  return matchers.map(matcher => ({
    column: matcher.name,
    test: compileMatcher(matcher),
    ...(matcher.op === '=' && { equals: matcher.value })
  }))
}

/** Groups tables that one store query can read: metrics of one physical table with the same columns. */
export function together(tables: readonly MetricTable[]): readonly MetricTable[][] {
  const groups = new Map<string, MetricTable[]>()
  for (const metric of tables) {
    const { table, fields, histogram } = metric
    const columns = [...fields, ...(histogram ? [histogram] : [])].map(({ name, stored }) => `${name} ${stored}`)
    const isMetric = table.options.physical_table !== undefined
    const key = isMetric ? JSON.stringify([table.options, columns]) : `${table.id}`
    entry(groups, key, () => []).push(metric)
  }
  return [...groups.values()]
}
