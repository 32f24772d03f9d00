// Runs a compiled pipeline over a batch: processors, dispatch, columns, groups. Pure: bytes and typed arrays in, writes out.
import {
  type Column,
  DbError,
  type ItemBatch,
  type ItemError,
  ItemsError,
  isDbError,
  isValid,
  itemState,
  type Limit,
  maxItemErrors,
  type Table,
  type TableOptions,
  type TableWrite,
  withMessage
} from '../../../core/compute.ts'
import type { PipelineResult } from '../../services.ts'
import { buildColumns } from '../column/column.ts'
import type { DispatchRule, Identity, Pipeline, Step } from '../pipeline.ts'
import { type Dispatched, dispatch, selectRows } from './dispatch.ts'
import { flattenObjects } from './flatten.ts'
import { type Group, groupOptions, groupRows, type OptionSets } from './group.ts'
import { applyStep, WrittenRows } from './variables.ts'

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
  /** Maximum depth of pipelines dispatching to pipelines. */
  readonly maxDispatchDepth: number
  /** Maximum combinations of table and options that the rows of a run may go to. */
  readonly maxGroups: number
  /** Columns a table may have; items that would need further ones fail. */
  readonly columns: Limit
  /** Failures listed in a reply. */
  readonly maxErrors?: number
  readonly observer?: RunObserver
}

/** Observes a run. */
export interface RunObserver {
  /** After a processor; `rows` were live before it. */
  stepped(batch: ItemBatch, step: Step, rows: Uint32Array): void
  /** The rows leave for another pipeline and table. */
  dispatched(batch: ItemBatch, { rule, rows }: Dispatched, table: string): void
}

interface Run {
  readonly settings: RunSettings
  readonly writes: TableWrite[]
  readonly errors: ItemError[]
  readonly optionSets: OptionSets
  failed: number
  filtered: number
}

/** Runs a pipeline over a batch, which must not be used afterwards. Throws ItemsError for the first item that fails, unless `skipError`. */
export function runPipeline(pipeline: Pipeline | Identity, batch: ItemBatch, settings: RunSettings): PipelineResult {
  const run: Run = { settings, writes: [], errors: [], optionSets: new Map(), failed: 0, filtered: 0 }
  if (!settings.ignoreErrors) stopAtFailure(batch, run, 0)
  const written = settings.variablesFromInput ? undefined : new WrittenRows()
  runBatch(pipeline, batch, settings.table, written, 0, run)
  run.errors.sort((a, b) => a.index - b.index)
  return {
    writes: run.writes,
    skipped: { count: run.failed, errors: run.errors.slice(0, settings.maxErrors ?? maxItemErrors) },
    filtered: run.filtered
  }
}

function runBatch(
  pipeline: Pipeline | Identity,
  batch: ItemBatch,
  table: string,
  written: WrittenRows | undefined,
  depth: number,
  run: Run
): void {
  const before = batch.failures.length
  let rows: Uint32Array
  if ('kind' in pipeline) {
    rows = liveRows(batch)
    flattenObjects(batch, rows, pipeline.maxNestedLevels)
  } else {
    runSteps(pipeline.processors, batch, written, before, run)
    rows = liveRows(batch)
    if (pipeline.dispatcher !== undefined) {
      const { dispatched, rest } = dispatch(batch, rows, pipeline.dispatcher)
      rows = rest
      for (const taken of dispatched) sendOn(batch, taken, table, written, depth, run)
    }
  }
  writeRows(pipeline, batch, rows, table, written, run)
  countStates(batch, run)
}

function runSteps(
  steps: readonly Step[],
  batch: ItemBatch,
  written: WrittenRows | undefined,
  before: number,
  run: Run
): void {
  const { observer } = run.settings
  for (const step of steps) {
    const live = observer === undefined ? undefined : liveRows(batch)
    applyStep(step, batch, written)
    if (live !== undefined) observer!.stepped(batch, step, live)
    stopAtFailure(batch, run, before)
  }
}

function sendOn(
  batch: ItemBatch,
  dispatched: Dispatched,
  table: string,
  written: WrittenRows | undefined,
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
  runBatch(targetPipeline(rule, run), selectRows(batch, rows), target, written?.select(rows), depth + 1, run)
}

/** A rule with an unknown pipeline fails the whole request, because the pipeline is wrong, not the item. */
function targetPipeline(
  { pipeline: name = 'svc_identity', where }: DispatchRule,
  { settings }: Run
): Pipeline | Identity {
  try {
    return settings.pipeline(name)
  } catch (cause) {
    if (!isDbError(cause)) throw cause
    throw withMessage(cause, `${cause.message} (${where})`)
  }
}

function writeRows(
  pipeline: Pipeline | Identity,
  batch: ItemBatch,
  rows: Uint32Array,
  table: string,
  written: WrittenRows | undefined,
  run: Run
): void {
  const before = batch.failures.length
  const groups = groupRows(pipeline, batch, rows, table, written)
  stopAtFailure(batch, run, before)
  for (const group of groups) {
    const options = groupOptions(group, run.settings, run.optionSets)
    const { columns, rows: kept } = columnsOfValid(pipeline, batch, group, run)
    if (kept.length === 0) continue
    if (run.writes.length === run.settings.maxGroups) throw tooManyGroups(run.settings.maxGroups)
    run.writes.push({ table: group.table, rows: kept.length, columns, ...options })
  }
}

/** Limits the tables of a run, because a suffix made of data can name any number of them. */
function tooManyGroups(max: number): DbError {
  const limit = `[plugins.pipelines] max_groups = ${max}`
  return new DbError('InvalidArguments', `the items go to more than ${max} tables or sets of table options (${limit})`)
}

/** Builds columns until no row fails any more: a row that fails in one of them must not stand in the others. */
function columnsOfValid(pipeline: Pipeline | Identity, batch: ItemBatch, group: Group, run: Run) {
  let { rows } = group
  while (rows.length > 0) {
    const before = batch.failures.length
    const columns = buildColumns(pipeline, batch, rows, run.settings.now, run.settings.existing(group.table))
    if (batch.failures.length === before) failWide(batch, { ...group, rows }, columns, run.settings)
    if (batch.failures.length === before) return { columns, rows }
    stopAtFailure(batch, run, before)
    rows = rows.filter(row => batch.isLive(row))
  }
  return { columns: [], rows }
}

/** Fails the rows whose values need more columns than the table may have, one after the other, with those of the rows before them. */
function failWide(batch: ItemBatch, { table, rows }: Group, columns: readonly Column[], settings: RunSettings): void {
  const { max, key } = settings.columns
  const known = new Set(settings.existing(table)?.columns.map(column => column.name))
  const added = columns.filter(column => !known.has(column.name))
  if (added.length === 0 || known.size + added.length <= max) return
  for (let i = 0; i < rows.length; i++) {
    const needed = added.filter(({ name, data }) => !known.has(name) && isValid(data.valid, i))
    if (known.size + needed.length > max) {
      batch.fail(rows[i]!, `table ${table} would have more than ${max} columns (${key})`)
    } else for (const { name } of needed) known.add(name)
  }
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
  throw new ItemsError(itemErrors(batch, before).slice(0, maxItemErrors))
}

function itemErrors(batch: ItemBatch, from: number): ItemError[] {
  const errors = batch.failures.slice(from).map(({ row, message }) => ({ index: batch.position(row), message }))
  return errors.sort((a, b) => a.index - b.index)
}

function countStates(batch: ItemBatch, run: Run): void {
  run.failed += batch.failures.length
  for (const error of itemErrors(batch, 0).slice(0, run.settings.maxErrors ?? maxItemErrors)) run.errors.push(error)
  for (let row = 0; row < batch.rows; row++) if (batch.states[row] === itemState.dropped) run.filtered++
}
