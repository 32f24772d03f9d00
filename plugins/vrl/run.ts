// Runs a compiled script on the items of a batch; an item becomes another one, several, or none.
import { cell, type ItemBatch, type ItemField, shorten } from '../../core/compute.ts'
import type { WrittenVariables } from '../services.ts'
import { isArray, isObject, type ObjectValue, type Program, typeName, type Value } from './language/index.ts'
import { limitText, type ScriptFailure, type ScriptLimits } from './limits.ts'
import { type ByteQuota, readRow, Unfit, writeValue } from './value.ts'

interface Script {
  readonly program: Program
  readonly limits: ScriptLimits
  /** Location of the script in its document. */
  readonly path: string
  /** Fields that set table options. */
  readonly variables: ReadonlySet<string>
  /** Records which of them the script writes. */
  readonly written?: WrittenVariables | undefined
}

interface Run extends Script {
  readonly batch: ItemBatch
  /** The rest of the request's quota. */
  readonly quota: ByteQuota
  readonly failures: Map<ScriptFailure, number>
}

/** Returns how many items failed, and why. Throws DbError `InvalidArguments` only if the batch as a whole becomes too large. */
export function runScript(script: Script, batch: ItemBatch): ReadonlyMap<ScriptFailure, number> {
  const { limits } = script
  const run: Run = { ...script, batch, quota: { left: limits.max_request_output }, failures: new Map() }
  const deadline = performance.now() + limits.max_request_time
  // Rows added from now on are results.
  const { rows } = batch
  for (let row = 0; row < rows; row++) {
    if (!batch.isLive(row)) continue
    if (performance.now() <= deadline) runRow(run, row)
    else
      failRow(run, row, 'limit', `the script ran too long for one request (${limitText(limits, 'max_request_time')})`)
  }
  return run.failures
}

function runRow(run: Run, row: number): void {
  const { batch, limits, program } = run
  const before = readRow(batch, row)
  const outcome = program.run(new Map(before))
  if (!outcome.ok) {
    const { aborted, limited, message } = outcome
    const hint = limited ? ` (${limitText(limits, 'max_time')}, ${limitText(limits, 'max_output')})` : ''
    failRow(run, row, aborted ? 'abort' : limited ? 'limit' : 'error', shorten(message, 300) + hint)
  } else if (outcome.value === null) batch.drop(row)
  else if (isArray(outcome.value)) writeRows(run, row, before, outcome.value)
  else writeResult(run, row, row, 0, before, outcome.value, itemQuota(run))
}

function failRow({ batch, failures, path }: Run, row: number, reason: ScriptFailure, message: string): void {
  failures.set(reason, (failures.get(reason) ?? 0) + 1)
  batch.fail(row, `Processor vrl: Failed to execute VRL, ${message} (${path})`)
}

function itemQuota({ limits, quota }: Run): ByteQuota {
  return { left: Math.min(limits.max_output, quota.left) }
}

/** The first element takes the row of its item, the others new rows. */
function writeRows(run: Run, row: number, before: ObjectValue, elements: readonly Value[]): void {
  const { batch, limits } = run
  if (elements.length > limits.max_rows) {
    const message = `the item becomes ${elements.length} rows, at most are ${limits.max_rows}`
    failRow(run, row, 'limit', `${message} (${limitText(limits, 'max_rows')})`)
    return
  }
  if (elements.length === 0) batch.drop(row)
  const quota = itemQuota(run)
  // Written last, because the other elements copy cells of its row.
  for (let i = 1; i < elements.length; i++) writeResult(run, row, batch.addRow(row), i, before, elements[i]!, quota)
  if (elements.length > 0) writeResult(run, row, row, 0, before, elements[0]!, quota)
}

/** An element that is not an object fails alone. */
function writeResult(
  run: Run,
  from: number,
  to: number,
  index: number,
  before: ObjectValue,
  value: Value,
  quota: ByteQuota
): void {
  if (!isObject(value)) {
    const wanted = `Array element at index ${index} must be an object for one-to-many transformation`
    failRow(run, to, 'result', `${wanted}, got ${typeName(value)}`)
    return
  }
  const { left } = quota
  try {
    writeFields(run.batch, from, to, before, value, quota)
    noteVariables(run, from, to, before, value)
  } catch (fault) {
    if (!(fault instanceof Unfit)) throw fault
    const hint = fault.limited
      ? ` (${limitText(run.limits, 'max_output')}, ${limitText(run.limits, 'max_request_output')})`
      : ''
    failRow(run, to, fault.limited ? 'limit' : 'result', fault.message + hint)
  }
  run.quota.left -= left - quota.left
}

/** Values that the script did not change keep their cells, and so their bytes of the request. */
function writeFields(
  batch: ItemBatch,
  from: number,
  to: number,
  before: ObjectValue,
  object: ObjectValue,
  quota: ByteQuota
): void {
  if (from === to) for (const name of before.keys()) if (!object.has(name)) batch.getOrCreateField(name).setAbsent(to)
  for (const [name, value] of object) {
    const field = batch.getOrCreateField(name)
    if (before.get(name) !== value) batch.set(field, to, writeValue(value, quota))
    else if (from !== to) copyCell(field, from, to)
  }
}

/** A variable that the script's text names is set; one that came with data is not; one that was not changed keeps its state. */
function noteVariables(
  { program, variables, written }: Run,
  from: number,
  to: number,
  before: ObjectValue,
  object: ObjectValue
) {
  if (written === undefined) return
  for (const name of variables) {
    const value = object.get(name)
    if (value === undefined) continue
    const isLeft = before.get(name) === value && written.has(name, from)
    if (program.written.has(name) || isLeft) written.mark(name, to)
    else written.unmark(name, to)
  }
}

function copyCell(field: ItemField, from: number, to: number): void {
  field.kinds[to] = field.kinds[from]!
  field.words[to * 2] = field.words[from * 2]!
  field.words[to * 2 + 1] = field.words[from * 2 + 1]!
  if (field.kinds[from] === cell.object) field.setObject(to, field.objects![from]!)
}
