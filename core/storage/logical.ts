// Rules for logical tables that share a physical one, for every driver.
import type { ColumnDefinition, Table, TableOptions } from '../model/table.ts'

export function isLogical(table: Table): boolean {
  return table.options.physical_table !== undefined
}

export function isPhysical(table: Table): boolean {
  return table.options.physical_metric_table === true
}

/** Whether versions of a row are merged field by field. */
export function mergesFields({ options }: { readonly options: TableOptions }): boolean {
  return options.merge_mode === 'last_non_null' && !options.append_mode
}

/** Why the physical table cannot hold a logical one with this time index and these options; undefined if it can. */
export function physicalTableProblem(
  physicalTable: Table,
  time: ColumnDefinition,
  modes: TableOptions
): string | undefined {
  if (!isPhysical(physicalTable)) return 'it is an ordinary table'
  const { timeIndex, options } = physicalTable
  if (timeIndex.type !== time.type) return `its time index is ${timeIndex.type}, not ${time.type}`
  for (const mode of shared) {
    if ((options[mode] || undefined) !== (modes[mode] || undefined)) {
      return `its ${mode} is ${options[mode] ?? 'not set'}, not ${modes[mode] ?? 'unset'}`
    }
  }
  return undefined
}

/** Options that a physical table takes from its first logical table, and that all others must have as well. */
export function sharedModes({ append_mode, merge_mode, skip_wal }: TableOptions): TableOptions {
  return {
    ...(append_mode !== undefined && { append_mode }),
    ...(merge_mode !== undefined && { merge_mode }),
    ...(skip_wal !== undefined && { skip_wal })
  }
}

const shared = ['append_mode', 'merge_mode', 'skip_wal'] as const
const fixed = ['physical_table', 'physical_metric_table'] as const

/** Why a table cannot take these options later; undefined if it can. */
export function changeProblem(table: Table, options: TableOptions): string | undefined {
  const changes = (key: keyof TableOptions) => key in options && options[key] !== table.options[key]
  const option = fixed.find(changes)
  if (option !== undefined) return `${option} is decided when a table is made`
  if (changes('append_mode') && table.options.append_mode)
    return 'append_mode cannot be taken back: rows may be there twice'
  const mode = isLogical(table) || isPhysical(table) ? shared.find(changes) : undefined
  if (mode === undefined) return undefined
  return `${mode} belongs to all tables of the physical table ${table.options.physical_table ?? table.name}`
}
