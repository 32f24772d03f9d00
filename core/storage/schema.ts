// How a write changes its table. Pure functions, so that every rule can be tested without a disk.
import { DbError } from '../errors.ts'
import type { Column, TableWrite } from '../model/batch.ts'
import { nameProblem } from '../model/name.ts'
import type { ColumnDefinition, Table, TableColumn, TableDefinition, TableOptions } from '../model/table.ts'
import { isTimestamp } from '../model/types.ts'
import { endsStep, type Steps } from '../pace.ts'
import type { TableStep } from './engine.ts'

/** Writes planned in one step. */
const stepWrites = 64

type WritePlan =
  /** The table has every column of the write. */
  | { readonly kind: 'ready'; readonly columns: readonly Column[] }
  | { readonly kind: 'create'; readonly definition: TableDefinition }
  | { readonly kind: 'widen'; readonly columns: readonly ColumnDefinition[] }

/** Decides how a table has to change for a write. Throws DbError for conflicts that no change of the table resolves; the message names table, column and types. */
function planWrite(database: string, table: Table | undefined, write: TableWrite, autoCreate: boolean): WritePlan {
  if (table === undefined) {
    if (!autoCreate || write.op === 'delete') throw notCreated(write.table)
    return { kind: 'create', definition: define(database, write) }
  }
  if (write.op === 'delete' && table.options.append_mode) {
    throw new DbError('InvalidArguments', `table ${database}.${table.name}: DELETE is not allowed under append mode`)
  }
  const known = new Map(table.columns.map(column => [column.name, column]))
  const added: ColumnDefinition[] = []
  for (const column of write.columns) {
    const existing = known.get(column.name)
    if (existing === undefined) added.push(addition(table, column))
    else checkType(table, column, existing)
  }
  if (added.length > 0) {
    if (!autoCreate) throw notWidened(table, added[0]!)
    return { kind: 'widen', columns: added }
  }
  checkRequired(table, write)
  return { kind: 'ready', columns: write.columns }
}

/** A write, and whether it may create its table and columns. */
export interface PlannedWrite {
  readonly write: TableWrite
  readonly autoCreate: boolean
}

/** The catalog changes that the writes of a request need, one per table; none if all columns exist. Throws like `planWrite`. */
export function* planSteps(
  database: string,
  tableNamed: (name: string) => Table | undefined,
  writes: readonly PlannedWrite[]
): Steps<readonly TableStep[]> {
  const drafts = new Map<string, Draft>()
  for (const [i, { write, autoCreate }] of writes.entries()) {
    if (endsStep(i, stepWrites)) yield
    const draft = drafts.get(write.table)
    if (draft?.step.kind === 'create') checkPhysical(draft.step.definition, write)
    const found = draft?.table ?? tableNamed(write.table)
    const plan = planWrite(database, found, write, autoCreate)
    if (plan.kind === 'create') drafts.set(write.table, draftOf(plan.definition))
    if (plan.kind === 'widen') drafts.set(write.table, widen(draft, found!, plan.columns))
  }
  return Array.from(drafts.values(), draft => draft.step)
}

/** All writes to one new table must name the same physical table; the first one decides. */
function checkPhysical({ name, options }: TableDefinition, write: TableWrite): void {
  const asked = write.options?.physical_table
  if (asked === options.physical_table) return
  const [first, second] = [options.physical_table, asked].map(each => each ?? 'none')
  throw new DbError(
    'InvalidArguments',
    `table ${name} does not exist yet, and the request's rows name different physical tables for it: ${first} and ${second}`
  )
}

/** A planned change, and the table as later writes of the same request will find it. */
interface Draft {
  readonly step: TableStep
  readonly table: Table
}

function draftOf(definition: TableDefinition): Draft {
  const columns = definition.columns.map(unnumbered)
  const timeIndex = columns.find(column => column.semantic === 'timestamp')!
  const tags = columns.filter(column => column.semantic === 'tag')
  const table = { ...definition, id: 0, version: 0, createdAt: 0, columns, timeIndex, tags }
  return { step: { kind: 'create', definition }, table }
}

function widen(draft: Draft | undefined, found: Table, added: readonly ColumnDefinition[]): Draft {
  const table = { ...found, columns: [...found.columns, ...added.map(unnumbered)] }
  if (draft?.step.kind === 'create') {
    const { definition } = draft.step
    return draftOf({ ...definition, columns: [...definition.columns, ...added] })
  }
  const before = draft?.step.change.kind === 'add_columns' ? draft.step.change.columns : []
  const change = { kind: 'add_columns', columns: [...before, ...added] } as const
  return { step: { kind: 'change', table: draft?.step.table ?? found, change }, table }
}

/** The catalog assigns numbers and physical names. */
function unnumbered(column: ColumnDefinition): TableColumn {
  return { ...column, id: 0, physical: column.name }
}

/** Checks of a write that do not depend on its table. */
export function checkWrite(write: TableWrite): void {
  checkName('table', write.table)
  const names = new Set<string>()
  let timestamps = 0
  for (const column of write.columns) {
    checkName('column', column.name)
    if (names.has(column.name))
      throw new DbError('InvalidArguments', `column ${column.name} of table ${write.table} is given twice`)
    names.add(column.name)
    if (column.semantic === 'timestamp') timestamps++
  }
  if (timestamps !== 1)
    throw new DbError(
      'InvalidArguments',
      `a write to table ${write.table} needs exactly one time index, it has ${timestamps}`
    )
}

/** Checks the name of a database, table or column: 1 to 255 bytes of UTF-8 without NUL. Throws DbError `InvalidArguments`. */
export function checkName(what: 'database' | 'table' | 'column', name: string): void {
  const problem = nameProblem(what, name)
  if (problem !== undefined) throw new DbError('InvalidArguments', problem)
}

/** Checks the definition of a table. Throws DbError `InvalidArguments`. */
export function checkDefinition(definition: TableDefinition): void {
  checkName('table', definition.name)
  const names = new Set<string>()
  for (const column of definition.columns) {
    checkName('column', column.name)
    if (names.has(column.name))
      throw new DbError('InvalidArguments', `column ${column.name} of table ${definition.name} is defined twice`)
    names.add(column.name)
  }
  const times = definition.columns.filter(column => column.semantic === 'timestamp')
  if (times.length !== 1) throw new DbError('InvalidSyntax', 'Missing time index constraint')
  const time = times[0]!
  if (!isTimestamp(time.type)) {
    throw new DbError(
      'InvalidArguments',
      `Invalid column option, column name: ${time.name}, error: time index column must be a timestamp, not ${time.type}`
    )
  }
  if (definition.options.append_mode && definition.options.merge_mode === 'last_non_null') {
    throw new DbError('InvalidArguments', 'merge_mode last_non_null cannot go with append_mode')
  }
}

/** Checks that no table of a request has itself, or another table the request creates, as its physical table. */
export function checkPhysicalTables(steps: readonly TableStep[]): void {
  const definitions = steps.flatMap(step => (step.kind === 'create' ? [step.definition] : []))
  const hosts = new Map(definitions.map(({ name, options }) => [options.physical_table, name]))
  const both = definitions.find(({ name }) => hosts.has(name))
  if (both === undefined) return
  const { name } = both
  const own = hosts.get(name) === name ? 'itself' : `table ${hosts.get(name)} of the same request`
  throw new DbError(
    'InvalidArguments',
    `physical_table = ${name} of ${own}: a physical table holds no rows of its own; choose another name`
  )
}

/** Options that a new table takes from its database. Not `ttl`: it is looked up in the database each time, so that changes of it apply at once. */
export function inheritOptions(own: TableOptions, database: TableOptions): TableOptions {
  const { ttl: _, ...inherited } = database
  return { ...inherited, ...own }
}

function define(database: string, write: TableWrite): TableDefinition {
  return {
    database,
    name: write.table,
    columns: write.columns.map(definition),
    options: { comment: 'Created on insertion', ...write.options }
  }
}

function definition(column: Column): ColumnDefinition {
  const { name, type, semantic, index } = column
  return { name, type, semantic, nullable: semantic !== 'timestamp', ...(index && { index }) }
}

function addition(table: Table, column: Column): ColumnDefinition {
  if (column.semantic === 'timestamp') {
    throw new DbError(
      'InvalidArguments',
      `the time index of table ${table.name} is ${table.timeIndex.name}, the write's is ${column.name}`
    )
  }
  return definition(column)
}

function checkType(table: Table, column: Column, existing: ColumnDefinition): void {
  if (column.type !== existing.type) {
    throw new DbError(
      'InvalidArguments',
      `Column datatype mismatch. For column: ${column.name}, expected datatype: ${existing.type}, actual datatype: ${column.type} (table ${table.name})`
    )
  }
  if ((column.semantic === 'timestamp') !== (existing.semantic === 'timestamp')) {
    throw new DbError(
      'InvalidArguments',
      `the time index of table ${table.name} is ${table.timeIndex.name}, not ${column.name}`
    )
  }
}

/** Columns that are not nullable must be present. */
function checkRequired(table: Table, write: TableWrite): void {
  if (write.op === 'delete') return
  const given = new Set(write.columns.map(column => column.name))
  const isMissing = ({ name, nullable, semantic }: ColumnDefinition) =>
    !nullable && !given.has(name) && !(write.tags !== undefined && semantic === 'tag')
  const missing = table.columns.find(isMissing)
  if (missing)
    throw new DbError('InvalidArguments', `column ${missing.name} of table ${table.name} takes no nulls and is missing`)
}

function notCreated(table: string): DbError {
  return new DbError(
    'InvalidArguments',
    `Invalid InsertRequest, reason: Table \`${table}\` does not exist, and \`auto_create_table\` hint is disabled`
  )
}

function notWidened(table: Table, column: ColumnDefinition): DbError {
  return new DbError(
    'InvalidArguments',
    `Invalid InsertRequest, reason: Table \`${table.name}\` has no column \`${column.name}\`, and \`auto_create_table\` hint is disabled`
  )
}
