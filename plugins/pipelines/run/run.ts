// Runs a compiled pipeline over a batch: processors, dispatch, columns, groups. Pure: bytes and typed arrays in, writes out.
import {
  DbError,
  type ItemBatch,
  type ItemError,
  ItemsError,
  isDbError,
  itemState,
  type Table,
  type TableOptions,
  type TableWrite
} from '../../../core/index.ts'
import type { PipelineResult } from '../../services.ts'
import { buildColumns } from '../column/column.ts'
import type { DispatchRule, Identity, Pipeline, Step } from '../pipeline.ts'
import { type Dispatched, dispatch, selectRows } from './dispatch.ts'
import { flattenObjects } from './flatten.ts'
import { expandSuffix } from './suffix.ts'
import {
  type RawVariables,
  rawVariables,
  selectVariables,
  takeVariables,
  type VariableSet,
  variableOptions,
  variableSuffix
} from './variables.ts'

export interface RunSettings {
  readonly table: string
  /** Failing items are left out and reported. */
  readonly skipError: boolean
  /** Items that failed before the run are left out and reported, too, when only this is set. */
  readonly ignoreErrors: boolean
  /** Nanoseconds since 1970. */
  readonly now: bigint
  /** Variables count also where items bring them. */
  readonly variablesFromInput: boolean
  /** Options of every new table unless a variable says otherwise. */
  readonly options: TableOptions
  readonly autoCreate?: boolean
  /** The latest pipeline of that name; throws for an unknown one. */
  pipeline(name: string): Pipeline | Identity
  /** The table as it is. */
  existing(table: string): Table | undefined
  /** Dispatch rules may lead on to other pipelines this often. */
  readonly maxDispatchDepth: number
  /** Rows may go to so many combinations of table and options. */
  readonly maxGroups: number
  readonly observer?: RunObserver
}

/** Is told what becomes of items on their way. */
export interface RunObserver {
  /** After a processor; `rows` were live before it. */
  stepped(batch: ItemBatch, step: Step, rows: Uint32Array): void
  /** The rows leave for another pipeline and table. */
  dispatched(batch: ItemBatch, { rule, rows }: Dispatched, table: string): void
}

/** How many failures a reply tells. */
const shownErrors = 10

interface Run {
  readonly settings: RunSettings
  readonly writes: TableWrite[]
  readonly errors: ItemError[]
  /** By content, so that equal options are one object. */
  readonly optionSets: Map<string, OptionSet>
  failed: number
  filtered: number
}

interface OptionSet {
  readonly options: TableOptions
  readonly autoCreate?: boolean
}

/** Runs a pipeline over a batch, which is used up. Throws ItemsError for the first item that fails, unless `skipError`. */
export function runPipeline(pipeline: Pipeline | Identity, batch: ItemBatch, settings: RunSettings): PipelineResult {
  const run: Run = { settings, writes: [], errors: [], optionSets: new Map(), failed: 0, filtered: 0 }
  if (!settings.ignoreErrors) stopAtFailure(batch, run, 0)
  const raw: RawVariables = settings.variablesFromInput ? new Map() : rawVariables(batch)
  runBatch(pipeline, batch, settings.table, raw, 0, run)
  run.errors.sort((a, b) => a.index - b.index)
  return {
    writes: run.writes,
    skipped: { count: run.failed, errors: run.errors.slice(0, shownErrors) },
    filtered: run.filtered
  }
}

function runBatch(
  pipeline: Pipeline | Identity,
  batch: ItemBatch,
  table: string,
  raw: RawVariables,
  depth: number,
  run: Run
): void {
  const before = batch.failures.length
  let rows: Uint32Array
  if ('kind' in pipeline) {
    rows = liveRows(batch)
    flattenObjects(batch, rows, pipeline.maxNestedLevels)
  } else {
    runSteps(pipeline.processors, batch, before, run)
    rows = liveRows(batch)
    if (pipeline.dispatcher !== undefined) {
      const { dispatched, rest } = dispatch(batch, rows, pipeline.dispatcher)
      rows = rest
      for (const taken of dispatched) sendOn(batch, taken, table, raw, depth, run)
    }
  }
  writeRows(pipeline, batch, rows, table, raw, run)
  countStates(batch, run)
}

function runSteps(steps: readonly Step[], batch: ItemBatch, before: number, run: Run): void {
  const { observer } = run.settings
  for (const step of steps) {
    const live = observer === undefined ? undefined : liveRows(batch)
    step.apply(batch)
    if (live !== undefined) observer!.stepped(batch, step, live)
    stopAtFailure(batch, run, before)
  }
}

function sendOn(
  batch: ItemBatch,
  dispatched: Dispatched,
  table: string,
  raw: RawVariables,
  depth: number,
  run: Run
): void {
  const { rule, rows } = dispatched
  const { maxDispatchDepth, observer } = run.settings
  if (depth === maxDispatchDepth) {
    const limit = `[plugins.pipelines] max_dispatch_depth = ${maxDispatchDepth}`
    throw new DbError(
      'InvalidArguments',
      `${rule.where}: items go through more than ${maxDispatchDepth} pipelines (${limit})`
    )
  }
  const target = table + rule.tableSuffix
  observer?.dispatched(batch, dispatched, target)
  runBatch(
    targetPipeline(rule, run),
    selectRows(batch, rows),
    target,
    selectVariables(batch, raw, rows),
    depth + 1,
    run
  )
}

/** A rule that leads nowhere fails the request: it is the pipeline that is wrong, not the item. */
function targetPipeline(
  { pipeline: name = 'svc_identity', where }: DispatchRule,
  { settings }: Run
): Pipeline | Identity {
  try {
    return settings.pipeline(name)
  } catch (cause) {
    if (!isDbError(cause)) throw cause
    throw new DbError(cause.code, `${cause.message} (${where})`, { cause })
  }
}

function writeRows(
  pipeline: Pipeline | Identity,
  batch: ItemBatch,
  rows: Uint32Array,
  table: string,
  raw: RawVariables,
  run: Run
): void {
  for (const group of groupRows(pipeline, batch, rows, table, raw)) {
    const options = groupOptions(batch, group, run)
    const { columns, rows: kept } = settledColumns(pipeline, batch, group, run)
    if (kept.length === 0) continue
    if (run.writes.length === run.settings.maxGroups) throw tooManyGroups(run.settings.maxGroups)
    run.writes.push({ table: group.table, rows: kept.length, columns, ...options })
  }
}

/** A suffix made of data can name any number of tables. */
function tooManyGroups(most: number): DbError {
  const limit = `[plugins.pipelines] max_groups = ${most}`
  return new DbError('InvalidArguments', `the items go to more than ${most} tables or sets of table options (${limit})`)
}

interface Group {
  readonly table: string
  readonly rows: Uint32Array
  readonly variables: VariableSet | undefined
}

/** Rows by table and variables, in order of appearance. Without variables and suffix all are one group. */
function groupRows(
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

/** Variables win over hints of the request, hints over what tables of a pipeline are by default. */
function groupOptions(batch: ItemBatch, { rows, variables }: Group, { settings, optionSets }: Run): OptionSet {
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

/** Builds columns until no row fails any more: a row that fails in one of them must not stand in the others. */
function settledColumns(pipeline: Pipeline | Identity, batch: ItemBatch, group: Group, run: Run) {
  let { rows } = group
  while (rows.length > 0) {
    const before = batch.failures.length
    const columns = buildColumns(pipeline, batch, rows, run.settings.now, run.settings.existing(group.table))
    if (batch.failures.length === before) return { columns, rows }
    stopAtFailure(batch, run, before)
    rows = rows.filter(row => batch.isLive(row))
  }
  return { columns: [], rows }
}

function liveRows(batch: ItemBatch): Uint32Array {
  const rows = new Uint32Array(batch.rows)
  let count = 0
  for (let row = 0; row < batch.rows; row++) if (batch.states[row] === itemState.live) rows[count++] = row
  const live = rows.subarray(0, count)
  // Rows that an item became stand behind all others until here.
  if (batch.origins !== undefined) live.sort((a, b) => batch.position(a) - batch.position(b) || a - b)
  return live
}

/** Throws for the first item that failed since `before` failures, unless failing items are skipped. */
function stopAtFailure(batch: ItemBatch, { settings }: Run, before: number): void {
  if (settings.skipError || batch.failures.length === before) return
  throw new ItemsError(itemErrors(batch, before).slice(0, shownErrors))
}

function itemErrors(batch: ItemBatch, from: number): ItemError[] {
  const errors = batch.failures.slice(from).map(({ row, message }) => ({ index: batch.position(row), message }))
  return errors.sort((a, b) => a.index - b.index)
}

function countStates(batch: ItemBatch, run: Run): void {
  run.failed += batch.failures.length
  run.errors.push(...itemErrors(batch, 0).slice(0, shownErrors))
  for (let row = 0; row < batch.rows; row++) if (batch.states[row] === itemState.dropped) run.filtered++
}
