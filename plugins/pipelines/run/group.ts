// Rows of a batch by the table they go to and the options that table gets if it is new.
import { DbError, type ItemBatch, isDbError, nameProblem, type TableOptions } from '../../../core/compute.ts'
import type { Identity, Pipeline } from '../pipeline.ts'
import { expandSuffix } from './suffix.ts'
import { takeVariables, type VariableSet, variableOptions, variableSuffix, type WrittenRows } from './variables.ts'

export interface Group {
  readonly table: string
  readonly rows: Uint32Array
  readonly variables: VariableSet | undefined
}

/**
 * Rows by table and variables, in order of appearance. Without variables and suffix all are one group. A row whose variables no table can
 * have is failed in the batch.
 */
export function groupRows(
  pipeline: Pipeline | Identity,
  batch: ItemBatch,
  rows: Uint32Array,
  table: string,
  written: WrittenRows | undefined
): Group[] {
  const keeps = !('kind' in pipeline) && pipeline.transform.kind === 'listed'
  const sets = takeVariables(batch, rows, written, keeps)
  const template = 'kind' in pipeline ? undefined : pipeline.suffix
  if (sets === undefined && template === undefined) return [{ table, rows, variables: undefined }]
  const hidden = 'kind' in pipeline ? new Set<string>() : consumedFields(pipeline)
  const groups: { table: string; rows: number[]; variables: VariableSet | undefined }[] = []
  // Equal sets of variables are one object.
  const bySet = new Map<VariableSet | undefined, Map<string, number[]>>()
  const problems = new Map<VariableSet, string | undefined>()
  rows.forEach((row, i) => {
    const variables = sets?.[i]
    if (variables !== undefined) {
      if (!problems.has(variables)) problems.set(variables, variableProblem(variables, table))
      const problem = problems.get(variables)
      if (problem !== undefined) {
        batch.fail(row, problem)
        return
      }
    }
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

/** The values that the listed columns of version 2 take out of the items. */
function consumedFields({ transform }: Pipeline): ReadonlySet<string> {
  return new Set(transform.kind === 'extended' ? transform.columns.map(({ from }) => from) : [])
}

interface OptionSet {
  readonly options: TableOptions
  readonly autoCreate?: boolean
}

/** By content, so that equal options are one object. */
export type OptionSets = Map<string, OptionSet>

/** The options of the request. */
interface OptionDefaults {
  readonly options: TableOptions
  readonly autoCreate?: boolean
}

/** Precedence: variables, then hints of the request, then the defaults of pipeline tables. */
export function groupOptions({ table, variables }: Group, settings: OptionDefaults, optionSets: OptionSets): OptionSet {
  const own = variables === undefined ? undefined : variableOptions(variables)
  const asked = { ...settings.options, ...own?.options }
  if (asked.physical_table === table) {
    throw new DbError('InvalidArguments', `table ${table} cannot be its own physical table (hint physical_table)`)
  }
  const autoCreate = own?.autoCreate ?? settings.autoCreate
  const options = { append_mode: asked.merge_mode === undefined, ...asked }
  const set = { options, ...(autoCreate !== undefined && { autoCreate }) }
  const key = JSON.stringify(set)
  const known = optionSets.get(key) ?? set
  optionSets.set(key, known)
  return known
}

/** Why no table can have these variables. */
function variableProblem(variables: VariableSet, base: string): string | undefined {
  const suffix = variableSuffix(variables)
  const wrong = suffix === undefined ? undefined : nameProblem('table', base + suffix)
  if (wrong !== undefined) return `variable svc_table_suffix: ${wrong}`
  try {
    const { physical_table: physical } = variableOptions(variables).options
    if (physical === undefined) return undefined
    const unusable = physical === base + (suffix ?? '') ? 'a table cannot be its own physical table' : undefined
    const problem = unusable ?? nameProblem('table', physical)
    return problem && `variable svc_physical_table: ${problem}`
  } catch (error) {
    if (!isDbError(error)) throw error
    return error.message
  }
}
