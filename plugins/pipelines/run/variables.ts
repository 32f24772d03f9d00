// Table-option variables: fields with reserved names that set table options instead of becoming columns.
import {
  cell,
  DbError,
  type ItemBatch,
  ItemField,
  isDbError,
  parseTableOptions,
  type TableOptions,
  withMessage
} from '../../../core/compute.ts'
import type { WrittenVariables } from '../../services.ts'
import { cellText } from '../cell/text.ts'
import type { Step } from '../pipeline.ts'

const prefix = 'svc_'
const suffixName = 'svc_table_suffix'
const createName = 'svc_auto_create_table'
const names: readonly string[] = [
  createName,
  'svc_ttl',
  'svc_append_mode',
  'svc_merge_mode',
  'svc_physical_table',
  'svc_skip_wal',
  suffixName
]

/** Names of the variables. */
export const variableNames: ReadonlySet<string> = new Set(names)

/** Per row, the variables that the pipeline's own text has written. Fields that items or parsed data contain do not count. */
export class WrittenRows implements WrittenVariables {
  readonly #rows = new Map<string, Set<number>>()

  mark(name: string, row: number): void {
    const rows = this.#rows.get(name)
    if (rows === undefined) this.#rows.set(name, new Set([row]))
    else rows.add(row)
  }

  unmark(name: string, row: number): void {
    this.#rows.get(name)?.delete(row)
  }

  has(name: string, row: number): boolean {
    return this.#rows.get(name)?.has(row) ?? false
  }

  /** Like this, for a batch with these rows only. */
  select(rows: Uint32Array): WrittenRows {
    const selected = new WrittenRows()
    for (const name of this.#rows.keys()) {
      for (let i = 0; i < rows.length; i++) if (this.has(name, rows[i]!)) selected.mark(name, i)
    }
    return selected
  }
}

/** Runs a step and marks the variables that it writes, row by row, even where it writes a value of the item. */
export function applyStep(step: Step, batch: ItemBatch, written: WrittenVariables | undefined): void {
  if (written === undefined || step.writes.length === 0) {
    step.apply(batch, written)
    return
  }
  const before = step.writes.map(name => (step.reads.includes(name) ? undefined : hideField(batch, name)))
  step.apply(batch, written)
  step.writes.forEach((name, i) => {
    const field = batch.field(name)
    for (let row = 0; row < batch.rows; row++) {
      if (field !== undefined && field.kinds[row] !== cell.absent) written.mark(name, row)
      else if (before[i] !== undefined) restoreCell(batch.getOrCreateField(name), before[i], row)
    }
  })
}

/** Makes a field absent everywhere and returns what was in it. */
function hideField(batch: ItemBatch, name: string): ItemField | undefined {
  const field = batch.field(name)
  if (field === undefined) return undefined
  const copy = copyField(field, allRows(batch.rows))
  for (let row = 0; row < batch.rows; row++) field.setAbsent(row)
  return copy
}

function restoreCell(field: ItemField, from: ItemField, row: number): void {
  const kind = from.kinds[row]!
  if (kind === cell.absent) return
  field.kinds[row] = kind
  field.ints[row] = from.ints[row]!
  if (kind === cell.object) field.setObject(row, from.objects![row]!)
}

/** A field of a batch with only these rows, in this order. */
export function copyField(field: ItemField, rows: Uint32Array): ItemField {
  const copy = new ItemField(field.name, rows.length)
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i]!
    copy.kinds[i] = field.kinds[row]!
    copy.words[i * 2] = field.words[row * 2]!
    copy.words[i * 2 + 1] = field.words[row * 2 + 1]!
    if (field.kinds[row] === cell.object) copy.setObject(i, field.objects![row]!)
  }
  return copy
}

export function allRows(count: number): Uint32Array {
  const rows = new Uint32Array(count)
  for (let i = 0; i < count; i++) rows[i] = i
  return rows
}

/** The variables of one row as text by name. */
export type VariableSet = Readonly<Record<string, string>>

/**
 * Takes the variables out of the rows' fields (or only reads them, if `keeps`). The result is parallel to `rows`; equal sets are the same
 * object. Undefined, the common case: no row has one. Without `written` whatever the items bring counts, too.
 */
export function takeVariables(
  batch: ItemBatch,
  rows: Uint32Array,
  written: WrittenVariables | undefined,
  keeps: boolean
): VariableSet[] | undefined {
  const fields = names.flatMap(name => batch.field(name) ?? [])
  const counts = ({ name, kinds }: ItemField, row: number) =>
    kinds[row] !== cell.absent && (written === undefined || written.has(name, row))
  if (!fields.some(field => rows.some(row => counts(field, row)))) return undefined
  const known = new Map<string, VariableSet>()
  return Array.from(rows, row => {
    let key = ''
    let set: Record<string, string> | undefined
    for (const field of fields) {
      if (!counts(field, row)) continue
      const text = cellText(batch, field, row)
      set ??= {}
      set[field.name] = text
      key += `${field.name}${text.length}:${text}`
      if (!keeps) field.setAbsent(row)
    }
    const same = known.get(key) ?? set ?? none
    known.set(key, same)
    return same
  })
}

const none: VariableSet = {}

/** The table suffix that a set names. */
export function variableSuffix(set: VariableSet): string | undefined {
  return set[suffixName]
}

/** The options that a set names for a new table. Throws DbError `InvalidArguments` naming the variable. */
export function variableOptions(set: VariableSet): { options: TableOptions; autoCreate?: boolean } {
  let options: TableOptions = {}
  for (const name in set) {
    if (name === suffixName || name === createName) continue
    options = { ...options, ...variableOption(name, set[name]!) }
  }
  const create = set[createName]
  if (create === undefined) return { options }
  if (create !== 'true' && create !== 'false') {
    throw new DbError('InvalidArguments', `variable ${createName} must be true or false, not '${create.slice(0, 60)}'`)
  }
  return { options, autoCreate: create === 'true' }
}

function variableOption(name: string, text: string): TableOptions {
  try {
    return parseTableOptions({ [name.slice(prefix.length)]: text })
  } catch (cause) {
    if (!isDbError(cause)) throw cause
    throw withMessage(cause, `variable ${name}: ${cause.message}`)
  }
}
