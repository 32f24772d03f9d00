// Rows of a batch by the table they go to and the options that table gets if it is new.
import { type ItemBatch, ItemsError, isDbError, type TableOptions } from '../../../core/index.ts'
import type { Identity, Pipeline } from '../pipeline.ts'
import { expandSuffix } from './suffix.ts'
import { type RawVariables, takeVariables, type VariableSet, variableOptions, variableSuffix } from './variables.ts'

export interface Group {
  readonly table: string
  readonly rows: Uint32Array
  readonly variables: VariableSet | undefined
}

/** Rows by table and variables, in order of appearance. Without variables and suffix all are one group. */
export function groupRows(
  pipeline: Pipeline | Identity,
  batch: ItemBatch,
  rows: Uint32Array,
  table: string,
  raw: RawVariables
): Group[] {
  const keeps = !('kind' in pipeline) && pipeline.transform.kind === 'listed'
  const sets = takeVariables(batch, rows, raw, keeps)
  const template = 'kind' in pipeline ? undefined : pipeline.suffix
  if (sets === undefined && template === undefined) return [{ table, rows, variables: undefined }]
  const hidden = 'kind' in pipeline ? new Set<string>() : consumedFields(pipeline)
  const groups: { table: string; rows: number[]; variables: VariableSet | undefined }[] = []
  // Equal sets of variables are one object.
  const bySet = new Map<VariableSet | undefined, Map<string, number[]>>()
  rows.forEach((row, i) => {
    const variables = sets?.[i]
    const named = variables && variableSuffix(variables)
    const suffix = named ?? (template === undefined ? '' : expandSuffix(template, batch, row, hidden))
    const bySuffix = bySet.get(variables) ?? new Map<string, number[]>()
    bySet.set(variables, bySuffix)
    const known = bySuffix.get(suffix)
    if (known !== undefined) known.push(row)
    else {
      const group = { table: table + suffix, rows: [row], variables }
      bySuffix.set(suffix, group.rows)
      groups.push(group)
    }
  })
  return groups.map(group => ({ ...group, rows: Uint32Array.from(group.rows) }))
}

/** What the listed columns of version 2 take out of the items. */
function consumedFields({ transform }: Pipeline): ReadonlySet<string> {
  return new Set(transform.kind === 'extended' ? transform.columns.map(({ from }) => from) : [])
}

export interface OptionSet {
  readonly options: TableOptions
  readonly autoCreate?: boolean
}

/** By content, so that equal options are one object. */
export type OptionSets = Map<string, OptionSet>

/** What the request asks for. */
interface OptionDefaults {
  readonly options: TableOptions
  readonly autoCreate?: boolean
}

/** Variables win over hints of the request, hints over what tables of a pipeline are by default. */
export function groupOptions(
  batch: ItemBatch,
  { rows, variables }: Group,
  settings: OptionDefaults,
  optionSets: OptionSets
): OptionSet {
  const own = variables === undefined ? undefined : itemOptions(batch, rows[0]!, variables)
  const asked = { ...settings.options, ...own?.options }
  const autoCreate = own?.autoCreate ?? settings.autoCreate
  const options = { append_mode: asked.merge_mode === undefined, ...asked }
  const set = { options, ...(autoCreate !== undefined && { autoCreate }) }
  const key = JSON.stringify(set)
  const known = optionSets.get(key) ?? set
  optionSets.set(key, known)
  return known
}

/** A variable that is no option fails the request, whatever items may be skipped: it would be wrong for all of them. */
function itemOptions(batch: ItemBatch, row: number, variables: VariableSet) {
  try {
    return variableOptions(variables)
  } catch (cause) {
    if (!isDbError(cause)) throw cause
    throw new ItemsError([{ index: batch.position(row), message: cause.message }], { cause })
  }
}
