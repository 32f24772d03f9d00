// Table-option variables: fields of reserved names that set the table's options instead of becoming columns.
import {
  cell,
  DbError,
  type ItemBatch,
  ItemField,
  isDbError,
  parseTableOptions,
  type TableOptions
} from '../../../core/index.ts'
import { cellText } from '../cell/text.ts'

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

/** What the items brought in these fields before any processor ran, so that it can be told from what processors wrote. */
export type RawVariables = ReadonlyMap<string, ItemField>

/** What the items of these rows brought, for a batch of these rows alone. */
export function selectVariables(batch: ItemBatch, raw: RawVariables, rows: Uint32Array): RawVariables {
  const origins = rows.map(row => batch.origin(row))
  return new Map(Array.from(raw, ([name, field]) => [name, copyField(field, origins)]))
}

/** Copies of the reserved fields that the items brought themselves. */
export function rawVariables(batch: ItemBatch): RawVariables {
  const raw = new Map<string, ItemField>()
  for (const name of names) {
    const field = batch.field(name)
    if (field !== undefined) raw.set(name, copyField(field, allRows(batch.rows)))
  }
  return raw
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
 * object. Undefined, the common case: no row has one.
 */
export function takeVariables(
  batch: ItemBatch,
  rows: Uint32Array,
  raw: RawVariables,
  keeps: boolean
): VariableSet[] | undefined {
  const fields = names.flatMap(name => batch.field(name) ?? [])
  if (!fields.some(field => rows.some(row => isWritten(batch, field, row, raw)))) return undefined
  const known = new Map<string, VariableSet>()
  return Array.from(rows, row => {
    let key = ''
    let set: Record<string, string> | undefined
    for (const field of fields) {
      if (!isWritten(batch, field, row, raw)) continue
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

/** Whether the cell holds something else than what the item brought. */
function isWritten(batch: ItemBatch, field: ItemField, row: number, raw: RawVariables): boolean {
  const kind = field.kinds[row]!
  if (kind === cell.absent) return false
  const before = raw.get(field.name)
  const origin = batch.origin(row)
  if (before === undefined || before.kinds[origin] !== kind) return true
  const [start, end] = [before.words[origin * 2]!, before.words[origin * 2 + 1]!]
  const [newStart, newEnd] = [field.words[row * 2]!, field.words[row * 2 + 1]!]
  if (start === newStart && end === newEnd) return false
  if (kind !== cell.string) return true
  return Buffer.compare(batch.bytes.subarray(start, end), batch.bytes.subarray(newStart, newEnd)) !== 0
}

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
    throw new DbError(cause.code, `variable ${name}: ${cause.message}`, { cause })
  }
}
