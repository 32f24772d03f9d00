// ALTER TABLE: every action is checked against the table as those before it leave it; only then the first is done.
import {
  type ColumnDefinition,
  DbError,
  isTimestamp,
  parseColumnIndex,
  parseTableOptions,
  type Table,
  type TableChange,
  type TableColumn,
  type TableOptions
} from '../../../core/index.ts'
import { invalid } from '../error.ts'
import { type Session, zoneOf } from '../session.ts'
import type { Name } from '../statement/cursor.ts'
import type { AlterAction, AlterTable } from '../statement/statement.ts'
import { resolveDefault } from '../write/default-value.ts'
import { findTarget, requireColumn } from '../write/target.ts'
import { addColumns } from './add-column.ts'
import { definitionOf } from './change.ts'
import { checkConversion, conversion } from './convert.ts'
import { fullName, lookUpTable } from './name.ts'

/** Returns the affected rows: none. */
export async function alterTable(session: Session, { name, ifExists, actions }: AlterTable): Promise<number> {
  const { store, ctx } = session
  if (ifExists && lookUpTable(store, ctx.db, name) === undefined) return 0
  const table = findTarget(session, name)
  const steps = plan(session, table, actions)
  for (const { check } of steps) await check?.()
  for (const { change } of steps)
    await store.changeTable(ctx, store.table(table.database, nameNow(store, table))!, change)
  return 0
}

/** One of the actions may have renamed it. */
function nameNow(store: Session['store'], { id, database, name }: Table): string {
  return store.table(database, name)?.id === id
    ? name
    : (store.tables(database).find(table => table.id === id)?.name ?? name)
}

interface Step {
  readonly change: TableChange
  /** Reads what is stored. */
  readonly check?: () => Promise<void>
}

/** The changes that the actions make; adjacent additions are one change. */
function plan(session: Session, table: Table, actions: readonly AlterAction[]): Step[] {
  const steps: Step[] = []
  let now = table
  for (let i = 0; i < actions.length; i++) {
    const action = actions[i]!
    let last = i
    while (action.kind === 'add_column' && actions[last + 1]?.kind === 'add_column') last++
    const step = planStep(session, now, action, actions.slice(i, last + 1))
    i = last
    if (step === undefined) continue
    steps.push(step)
    now = after(now, step.change)
  }
  return steps
}

function planStep(session: Session, table: Table, action: AlterAction, run: readonly AlterAction[]): Step | undefined {
  switch (action.kind) {
    case 'add_column': {
      const change = addColumns(
        session,
        table,
        run.filter(each => each.kind === 'add_column')
      )
      return change && { change }
    }
    case 'drop_column':
      if (action.ifExists && !table.columns.some(({ name }) => name === action.column.text)) return undefined
      return { change: { kind: 'drop_column', name: dropped(table, action.column).name } }
    case 'rename': {
      const { store } = session
      const { database } = table
      if ((store.table(database, action.name) ?? store.view(database, action.name)) !== undefined) {
        throw new DbError('TableAlreadyExists', `Table already exists: \`${fullName(database, action.name)}\``)
      }
      return { change: { kind: 'rename', name: action.name } }
    }
    case 'set_options':
      return { change: { kind: 'set_options', options: changedOptions(table, action.options) } }
    case 'unset_options':
      return { change: { kind: 'set_options', options: {}, unset: action.keys.map(unsetKey) } }
  }
  return planColumn(session, table, requireColumn(table, action.column), action)
}

type ColumnAction = Extract<AlterAction, { kind: 'set_type' | 'set_default' | 'set_index' | 'unset_index' }>

function planColumn(session: Session, table: Table, column: TableColumn, action: ColumnAction): Step | undefined {
  const definition = definitionOf(column)
  const zone = zoneOf(session)
  const modified = (to: ColumnDefinition): TableChange => ({ kind: 'modify_column', name: column.name, definition: to })
  if (action.kind === 'set_type') {
    const { type } = action
    if (type === column.type) return undefined
    const needsCheck = conversion(table, column, type) === 'checked'
    const change = modified(resolveDefault({ ...definition, type }, zone))
    return needsCheck ? { change, check: () => checkConversion(session, table, column, type) } : { change }
  }
  if (action.kind === 'set_default') {
    const { default: _, ...rest } = definition
    const text = action.default
    return { change: modified(text === undefined ? rest : resolveDefault({ ...rest, default: text }, zone)) }
  }
  if (action.kind === 'set_index') {
    return { change: modified({ ...definition, index: parseColumnIndex(action.index, action.options, column.type) }) }
  }
  const { index, ...rest } = definition
  return index?.kind === action.index ? { change: modified(rest) } : undefined
}

/** The table as the next action sees it; ids do not matter to it. */
function after(table: Table, change: TableChange): Table {
  const replaced = (columns: readonly TableColumn[]): Table => ({ ...table, columns })
  switch (change.kind) {
    case 'add_columns': {
      const added = change.columns.map(column => ({ ...column, id: 0, physical: column.name }))
      const all = [...table.columns, ...added]
      const { order } = change
      return replaced(order === undefined ? all : order.map(name => all.find(column => column.name === name)!))
    }
    case 'drop_column':
      return replaced(table.columns.filter(({ name }) => name !== change.name))
    case 'modify_column':
      return replaced(
        table.columns.map(column => (column.name === change.name ? { ...column, ...change.definition } : column))
      )
    case 'rename':
      return { ...table, name: change.name }
    case 'set_options':
      return { ...table, options: { ...table.options, ...change.options } }
  }
  return table
}

function dropped(table: Table, name: Name): TableColumn {
  const column = requireColumn(table, name)
  if (column.semantic === 'field') return column
  const what = isTimestamp(column.type) && column.semantic === 'timestamp' ? 'time index' : 'index'
  throw invalid(`Not allowed to remove ${what} column ${column.name} from table ${table.name}`)
}

const oneWay = ['append_mode', 'skip_wal'] as const

function changedOptions(table: Table, texts: Readonly<Record<string, string>>): TableOptions {
  const options = parseTableOptions(texts)
  for (const key of ['physical_table', 'physical_metric_table', 'merge_mode'] as const) {
    if (options[key] !== undefined && options[key] !== table.options[key]) {
      throw invalid(`table option ${key} is fixed when a table is created and cannot be changed`)
    }
  }
  for (const key of oneWay) {
    if (options[key] === false && table.options[key] === true) {
      throw invalid(`table option ${key} can be set to true, but not back to false`)
    }
  }
  if (options.append_mode && table.options.merge_mode === 'last_non_null') {
    throw invalid('append_mode cannot go with merge_mode last_non_null')
  }
  return options
}

function unsetKey(key: string): 'ttl' | 'comment' {
  const folded = key.toLowerCase()
  if (folded === 'ttl' || folded === 'comment') return folded
  parseTableOptions({ [key]: folded === 'merge_mode' ? 'last_row' : 'true' })
  throw invalid(`table option ${folded} cannot be unset, only ttl and comment can`)
}
