// Plans a query: from its matchers to the tables to read and the conditions for their rows.
import { compileRegex, DbError, type Store, type Table, type TableColumn, valueColumn } from '../../../core/index.ts'
import { histogramColumn } from '../write/columns.ts'
import type { Matcher, ReadQuery } from './decode.ts'
import { compareText } from './text.ts'

const databaseLabels = ['__schema__', '__database__', 'x_svc_database']
export const nameLabel = '__name__'
const fieldLabel = '__field__'

export interface TablePlan {
  readonly table: Table
  readonly value: TableColumn | undefined
  readonly histogram: TableColumn | undefined
  /** Matchers of labels the table has; the others are evaluated already. */
  readonly matchers: readonly Matcher[]
}

/** The tables of a query, ascending by name; none where nothing can match. Throws DbError for an unknown database, a bad expression or too many metrics. */
export function planQuery(store: Store, db: string, { matchers }: ReadQuery, maxMetrics: number): readonly TablePlan[] {
  const database = databaseOf(matchers) ?? db
  store.requireDatabase(database)
  const meets = new Map(matchers.map(matcher => [matcher, predicate(matcher)]))
  const named = matchers.filter(({ name }) => name === nameLabel)
  const field = matchers.find(({ name, type }) => name === fieldLabel && type === '=')?.value
  const others = matchers.filter(
    matcher => matcher.name !== nameLabel && matcher.name !== fieldLabel && !isDatabase(matcher)
  )
  const tables = tablesNamed(store, database, named, name => named.every(matcher => meets.get(matcher)!(name)))
  if (tables.length > maxMetrics) {
    throw new DbError(
      'InvalidArguments',
      `the query asks for ${tables.length} metrics, at most ${maxMetrics} are read (plugins.metricsys.max_read_metrics)`
    )
  }
  return tables.flatMap(table => {
    const labels = new Set(table.tags.map(tag => tag.name))
    const absent = others.filter(({ name }) => !labels.has(name))
    if (!absent.every(matcher => meets.get(matcher)!(''))) return []
    return [{ table, ...columnsOf(table, field), matchers: others.filter(({ name }) => labels.has(name)) }]
  })
}

/** Matchers are anchored, and `.` matches line breaks. */
export function anchored(expression: string): string {
  return `^(?s:${expression})$`
}

/** Whether a value meets the matcher; an absent label has the empty value. */
function predicate({ type, name, value }: Matcher): (found: string) => boolean {
  if (type === '=') return found => found === value
  if (type === '!=') return found => found !== value
  try {
    // Compiled without the anchoring group first: `)(` would be valid only inside of it.
    compileRegex(value)
    const regex = compileRegex(anchored(value))
    return found => regex.test(found) === (type === '=~')
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new DbError('InvalidArguments', `matcher of label ${name}: ${reason}`, { cause: error })
  }
}

function isDatabase({ type, name }: Matcher): boolean {
  return type === '=' && databaseLabels.includes(name)
}

function databaseOf(matchers: readonly Matcher[]): string | undefined {
  const found = databaseLabels.flatMap(label =>
    matchers.filter(matcher => isDatabase(matcher) && matcher.name === label)
  )
  return found[0]?.value.replace(/^svc-/, '')
}

function tablesNamed(
  store: Store,
  database: string,
  matchers: readonly Matcher[],
  isWanted: (name: string) => boolean
): readonly Table[] {
  const exact = matchers.find(({ type, value }) => type === '=' && value !== '')
  if (exact !== undefined) {
    const table = store.table(database, exact.value)
    const readable = table !== undefined && table.options.physical_metric_table !== true
    return readable && isWanted(table.name) ? [table] : []
  }
  return store
    .tables(database)
    .filter(({ name, options }) => options.physical_table !== undefined && isWanted(name))
    .toSorted((a, b) => compareText(a.name, b.name))
}

function columnsOf(table: Table, field: string | undefined): Pick<TablePlan, 'value' | 'histogram'> {
  const fields = table.columns.filter(column => column.semantic === 'field')
  const histogram = fields.find(({ name, type }) => name === histogramColumn && type === 'Json')
  const numbers = fields.filter(column => column !== histogram && isNumber(column))
  const asked = numbers.find(({ name }) => name === (field ?? valueColumn))
  const value = asked ?? (field === undefined && numbers.length === 1 ? numbers[0] : undefined)
  if (value === undefined && histogram === undefined) {
    const names = numbers.map(({ name }) => name).join(', ') || 'none'
    throw new DbError(
      'InvalidArguments',
      `table ${table.name} has no column ${field ?? valueColumn} to read samples from; its fields with numbers: ${names}`
    )
  }
  return { value, histogram: field === undefined ? histogram : undefined }
}

function isNumber({ type }: TableColumn): boolean {
  return /^(Float|Int|UInt)/.test(type)
}
