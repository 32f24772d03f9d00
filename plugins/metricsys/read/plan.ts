// Plans a query: from its matchers to the tables to read and the conditions for their rows.
import {
  DbError,
  endsStep,
  listedTexts,
  type RegexBudget,
  type Steps,
  type Store,
  type Table,
  type TableColumn,
  valueColumn,
  wholeTest
} from '../../../core/index.ts'
import { histogramColumn } from '../write/columns.ts'
import type { Matcher, ReadQuery } from './decode.ts'
import { compareText } from './text.ts'

const databaseLabels = ['__schema__', '__database__', 'x_svc_database']
export const nameLabel = '__name__'
const fieldLabel = '__field__'
/** Characters of one expression, also of a choice of plain words, which is not compiled. */
const maxPatternLength = 100_000
/** Tests of a matcher in a step. */
const stepTests = 64

export interface TablePlan {
  readonly table: Table
  readonly value: TableColumn | undefined
  readonly histogram: TableColumn | undefined
  /** Matchers of labels the table has; the others are evaluated already. */
  readonly matchers: readonly Matcher[]
}

/** The tables of a query, ascending by name; none where nothing can match. Throws DbError for an unknown database, a bad expression or too many metrics. */
export function* planQuery(
  store: Store,
  db: string,
  { matchers }: ReadQuery,
  maxMetrics: number,
  regexes: RegexBudget
): Steps<readonly TablePlan[]> {
  const database = databaseOf(matchers) ?? db
  store.requireDatabase(database)
  const meets = new Map<Matcher, (found: string) => boolean>()
  for (const matcher of matchers) {
    meets.set(matcher, predicate(matcher, regexes))
    yield
  }
  const named = matchers.filter(({ name }) => name === nameLabel)
  const field = matchers.find(({ name, type }) => name === fieldLabel && type === '=')?.value
  const others = matchers.filter(
    matcher => matcher.name !== nameLabel && matcher.name !== fieldLabel && !isDatabase(matcher)
  )
  const tables = yield* tablesNamed(store, database, named, meets)
  if (tables.length > maxMetrics) {
    throw new DbError(
      'InvalidArguments',
      `the query asks for ${tables.length} metrics, at most ${maxMetrics} are read (plugins.metricsys.max_read_metrics)`
    )
  }
  const plans: TablePlan[] = []
  for (const table of tables) {
    const labels = new Set(table.tags.map(tag => tag.name))
    const absent = others.filter(({ name }) => !labels.has(name))
    if (yield* meetsAll('', absent, meets))
      plans.push({ table, ...columnsOf(table, field), matchers: others.filter(({ name }) => labels.has(name)) })
    yield
  }
  return plans
}

type Predicates = ReadonlyMap<Matcher, (found: string) => boolean>

function* meetsAll(value: string, matchers: readonly Matcher[], meets: Predicates): Steps<boolean> {
  for (const [i, matcher] of matchers.entries()) {
    if (!meets.get(matcher)!(value)) return false
    if (endsStep(i, stepTests)) yield
  }
  return true
}

/** Whether a value meets the matcher; an absent label has the empty value. */
function predicate({ type, name, value }: Matcher, regexes: RegexBudget): (found: string) => boolean {
  if (type === '=') return found => found === value
  if (type === '!=') return found => found !== value
  try {
    if (value.length > maxPatternLength)
      throw new DbError('InvalidArguments', `it has ${value.length} characters, at most ${maxPatternLength} are read`)
    if (listedTexts(value) === undefined) regexes.take(value)
    const test = wholeTest(name, value)
    return found => test(found) === (type === '=~')
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

function* tablesNamed(
  store: Store,
  database: string,
  matchers: readonly Matcher[],
  meets: Predicates
): Steps<readonly Table[]> {
  const exact = matchers.find(({ type, value }) => type === '=' && value !== '')
  if (exact !== undefined) {
    const table = store.table(database, exact.value)
    const readable = table !== undefined && table.options.physical_metric_table !== true
    return readable && (yield* meetsAll(table.name, matchers, meets)) ? [table] : []
  }
  const found: Table[] = []
  for (const [i, table] of store.tables(database).entries()) {
    if (table.options.physical_table !== undefined && (yield* meetsAll(table.name, matchers, meets))) found.push(table)
    if (endsStep(i, stepTests)) yield
  }
  return found.sort((a, b) => compareText(a.name, b.name))
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
