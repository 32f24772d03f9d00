// Copies databases, tables and views to a target, and finds conflicts.
import { isDeepStrictEqual } from 'node:util'
import { DbError } from '../../errors.ts'
import type { ColumnDefinition, Table, TableDefinition, TableOptions, View } from '../../model/table.ts'
import type { Catalog, TableStep } from '../engine.ts'
import { isPhysical } from '../logical.ts'

/** Tables created in one step. */
const tablesAtOnce = 256
/** Maximum differing columns named in a message. */
const maxNamed = 5

/** A line for each object that differs at the target; if there are none, the copy may begin. Changes nothing. */
export function definitionProblems(source: Catalog, target: Catalog): string[] {
  return source.databases().flatMap(({ name, options }) => {
    const there = target.database(name)
    if (there === undefined) return []
    const tables = source.tables(name).flatMap(table => {
      const found = target.table(name, table.name)
      if (found !== undefined) return tableProblems(table, found)
      return target.view(name, table.name) === undefined
        ? []
        : [`${name}.${table.name} is a table at the source and a view at the target`]
    })
    const views = source.views(name).flatMap(view => {
      const found = target.view(name, view.name)
      if (target.table(name, view.name) !== undefined) {
        return [`${name}.${view.name} is a view at the source and a table at the target`]
      }
      return found === undefined || sameView(view, found) ? [] : [`view ${name}.${view.name} has another query there`]
    })
    const isInUse = !isDeepStrictEqual(there.options, options) && !mayChange(target, name)
    const database = isInUse
      ? [
          `database ${name} has the options ${show(options)} at the source and ${show(there.options)} at the target, where it has tables`
        ]
      : []
    return [...database, ...tables, ...views]
  })
}

/** Options of a database apply to all its tables, so they may only change in an empty one. */
function mayChange(target: Catalog, database: string): boolean {
  return target.tables(database).length === 0
}

function sameView(one: View, other: View): boolean {
  return one.query === other.query && isDeepStrictEqual(one.columns, other.columns)
}

/** Creates the databases, tables and views that the target lacks. */
export async function createMissing(source: Catalog, target: Catalog): Promise<void> {
  for (const { name, options } of source.databases()) {
    const there = target.database(name)
    if (there === undefined) await target.createDatabase(name, options)
    else if (!isDeepStrictEqual(there.options, options)) await target.changeDatabase(name, options)
    const missing = source.tables(name).filter(table => target.table(name, table.name) === undefined)
    // Physical tables first, because logical ones need them.
    const ordered = [...missing.filter(isPhysical), ...missing.filter(table => !isPhysical(table))]
    for (let from = 0; from < ordered.length; from += tablesAtOnce) {
      const steps = ordered
        .slice(from, from + tablesAtOnce)
        .map((table): TableStep => ({ kind: 'create', definition: definitionOf(table) }))
      await target.changeTables(steps)
    }
    for (const view of source.views(name)) {
      if (target.view(name, view.name) === undefined) await target.putView(view)
    }
  }
}

function definitionOf(table: Table): TableDefinition {
  const { database, name, options } = table
  // A physical table gets further columns with its logical tables; users never see their names.
  const columns = isPhysical(table) ? [{ ...table.timeIndex, name: 'time' }] : table.columns
  return { database, name, options, columns: columns.map(columnOf) }
}

function columnOf({
  name,
  type,
  semantic,
  nullable,
  default: value,
  index,
  comment,
  initial,
  was
}: Table['timeIndex']): ColumnDefinition {
  return {
    name,
    type,
    semantic,
    nullable,
    ...(value !== undefined && { default: value }),
    ...(index !== undefined && { index }),
    ...(comment !== undefined && { comment }),
    // The initial value is a text of the column's first type.
    ...(initial !== undefined && (was ?? []).length === 0 && { initial })
  }
}

function tableProblems(source: Table, target: Table): string[] {
  const [here, there] = [definitionOf(source), definitionOf(target)]
  const name = `table ${source.database}.${source.name}`
  const problems: string[] = []
  if (!isDeepStrictEqual(canonical(here.options), canonical(there.options))) {
    problems.push(`has the options ${show(here.options)} at the source and ${show(there.options)} at the target`)
  }
  const columns = new Map(there.columns.map(column => [column.name, column]))
  for (const column of here.columns) {
    const found = columns.get(column.name)
    columns.delete(column.name)
    const problem = found === undefined ? 'is missing at the target' : columnProblem(column, found)
    if (problem !== undefined) problems.push(`column ${column.name} ${problem}`)
  }
  for (const extra of columns.keys()) problems.push(`column ${extra} is missing at the source`)
  const rest = problems.length - maxNamed
  const shown = rest > 0 ? [...problems.slice(0, maxNamed), `${rest} more differ`] : problems
  return shown.length === 0 ? [] : [`${name}: ${shown.join('; ')}`]
}

function columnProblem(here: ColumnDefinition, there: ColumnDefinition): string | undefined {
  const keys = ['type', 'semantic', 'nullable', 'default', 'index', 'initial', 'comment'] as const
  const key = keys.find(each => !isDeepStrictEqual(here[each], there[each]))
  if (key === undefined) return undefined
  return `has ${key} ${show(here[key])} at the source and ${show(there[key])} at the target`
}

function canonical(options: TableOptions): object {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined && value !== false))
}

function show(value: unknown): string {
  if (value === undefined || isDeepStrictEqual(value, {})) return 'none'
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

/** Tables that store rows, in a fixed order. */
export function tablesWithRows(catalog: Catalog): readonly Table[] {
  const all = catalog.databases().flatMap(({ name }) => catalog.tables(name))
  const withRows = all.filter(table => !isPhysical(table) && table.options.ttl !== 'instant')
  return withRows.sort((a, b) => compare(a.database, b.database) || compare(a.name, b.name))
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

export function sameNamed(catalog: Catalog, { database, name }: Table): Table {
  const found = catalog.table(database, name)
  if (found === undefined) throw new DbError('TableNotFound', `table ${database}.${name} is gone at the target`)
  return found
}

/** Times to live that may expire rows of a table; among logical tables of a physical one, the shortest. */
export function lifetimesOf(catalog: Catalog, table: Table): readonly (string | undefined)[] {
  const { ttl, physical_table } = table.options
  const shared = catalog.database(table.database)?.options.ttl
  if (physical_table === undefined) return [ttl ?? shared]
  return [ttl ?? shared, catalog.table(table.database, physical_table)?.options.ttl ?? shared]
}
