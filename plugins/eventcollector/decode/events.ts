// Decodes a request of events: JSON values in sequence, checked and grouped by table.
import { isUtf8 } from 'node:buffer'
import {
  cell,
  DbError,
  endsStep,
  type ItemBatch,
  ItemField,
  itemSteps,
  type KeyMapping,
  nameProblem,
  type Steps,
  timeColumn
} from '../../../core/index.ts'
import { CollectorError } from '../errors.ts'
import { tableOfIndex } from '../index-name.ts'
import { setTime } from './time.ts'

/** Prefix of the batch's fields that come from `fields`; no valid column name begins with it. */
export const fieldPrefix = '\0'
/** Keys with a meaning in the protocol. */
export const tagKeys: readonly string[] = ['host', 'source', 'sourcetype']

const levels = 9

/** Rows handled between two yields to other requests. */
const stepRows = 4_096

/** Events of one table. */
export interface Group {
  readonly table: string
  readonly rows: Uint32Array
}

export interface Events {
  /** Without the fields `time` and `index`. */
  readonly batch: ItemBatch
  /** Nanoseconds, by row of the batch; not one of its fields. */
  readonly time: ItemField
  readonly groups: readonly Group[]
}

/** `spread`: members of objects become fields of their own, such as `event.a`; otherwise objects stay as they are. */
interface EventOptions {
  readonly spread: boolean
  readonly table: string
  /** Host, source and sourcetype for events without them. */
  readonly tags?: Readonly<Record<string, string | undefined>>
  /** Nanoseconds since 1970; the time of events without one. */
  readonly now: bigint
  /** Maximum values of the body; 0 or absent: no limit. */
  readonly maxValues?: number
  /** Maximum bytes of one event. */
  readonly maxBytes?: number
  /** Maximum tables that the events go to. */
  readonly maxTables?: number
}

/** Throws CollectorError for the first invalid event; then none is taken. Values that are not objects are marked as failed in the batch. */
export function* decodeEvents(body: Uint8Array, options: EventOptions): Steps<Events> {
  if (body.length === 0) throw new CollectorError(5)
  if (!isUtf8(body)) throw new CollectorError(6, 'the body is not valid UTF-8')
  const { spread, maxValues = 0, maxBytes } = options
  const itemSize =
    maxBytes === undefined ? {} : { itemSize: { max: maxBytes, key: 'plugins.eventcollector.max_event_size' } }
  const mappingOf = spread ? spreadMapping : keptMapping
  const batch = yield* itemSteps(body, 'application/json', { skipError: true, mappingOf, maxValues, ...itemSize })
  if (batch.rows === 0) throw new CollectorError(5)
  const rows = liveRows(batch)
  if (rows.length === 0) throw new CollectorError(6, 'no value is an object')
  const time = yield* checkEvents(batch, rows, options.now)
  for (const key of tagKeys) {
    yield
    fillMissing(batch, rows, key, options.tags?.[key])
  }
  yield
  const groups = yield* groupByTable(batch, rows, options)
  batch.fields.delete('time')
  batch.fields.delete('index')
  return { batch, time, groups }
}

function keptMapping(key: string): KeyMapping | undefined {
  return key === 'time' ? 'text' : undefined
}

function spreadMapping(key: string): KeyMapping {
  if (key === 'time' || tagKeys.includes(key)) return 'text'
  return { prefix: key === 'fields' ? fieldPrefix : `${key}.`, levels }
}

function liveRows(batch: ItemBatch): Uint32Array {
  const rows = new Uint32Array(batch.rows)
  let count = 0
  for (let row = 0; row < batch.rows; row++) if (batch.isLive(row)) rows[count++] = row
  return rows.subarray(0, count)
}

/** Checks the events and reads their times. */
function* checkEvents(batch: ItemBatch, rows: Uint32Array, now: bigint): Steps<ItemField> {
  const times = new ItemField(timeColumn, batch.rows)
  const event = batch.field('event')
  const time = batch.field('time')
  for (const [i, row] of rows.entries()) {
    if (endsStep(i, stepRows)) yield
    const kind = event === undefined ? cell.absent : event.kinds[row]!
    if (kind === cell.absent) throw new CollectorError(12, 'it has no key event', row)
    if (kind === cell.null || (kind === cell.string && isBlank(batch, event!, row)))
      throw new CollectorError(13, 'its event is null or blank', row)
    if (time === undefined || time.kinds[row]! <= cell.null) times.setTimestamp(row, now)
    else {
      const isText = time.kinds[row] === cell.string
      const words = time.words
      if (!isText || !setTime(times, row, batch.bytes, words[row * 2]!, words[row * 2 + 1]!))
        throw new CollectorError(6, 'its time is not a number since 1970', row)
    }
  }
  return times
}

function fillMissing(batch: ItemBatch, rows: Uint32Array, key: string, value: string | undefined): void {
  if (value === undefined) return
  const among = batch.field(fieldPrefix + key)
  const field = batch.getOrCreateField(key)
  const bytes = Buffer.from(value)
  const start = batch.append(bytes)
  for (const row of rows) {
    const isThere = field.kinds[row]! > cell.null || (among?.kinds[row] ?? cell.absent) > cell.null
    if (!isThere) field.setRange(row, start, start + bytes.length)
  }
}

function isBlank({ bytes }: ItemBatch, { words }: ItemField, row: number): boolean {
  const end = words[row * 2 + 1]!
  let at = words[row * 2]!
  while (at < end && bytes[at]! <= 0x20) at++
  return at === end
}

/** Groups rows by their index, in order of appearance; events without an index go to `table`. */
function* groupByTable(
  batch: ItemBatch,
  rows: Uint32Array,
  { table, maxTables = Number.POSITIVE_INFINITY }: EventOptions
): Steps<Group[]> {
  const index = batch.field('index')
  if (index === undefined) return [{ table, rows }]
  const groups = new Map<string, number[]>()
  let last = -1
  let group: number[] | undefined
  for (const [i, row] of rows.entries()) {
    if (endsStep(i, stepRows)) yield
    if (group === undefined || !sameText(batch, index, last, row)) {
      const name = index.kinds[row] === cell.string ? tableOfIndex(batch.text(index, row)) : undefined
      const to = name ?? table
      group = groups.get(to)
      if (group === undefined) {
        if (groups.size === maxTables) throw tooManyTables(maxTables)
        // At once: to compare long names row by row takes long.
        checkTable(to)
        group = []
        groups.set(to, group)
      }
      last = row
    }
    group.push(row)
  }
  return Array.from(groups, ([table, rows]) => ({ table, rows: Uint32Array.from(rows) }))
}

/** Throws CollectorError for a name that no table can have. */
export function checkTable(name: string): void {
  const problem = nameProblem('table', name)
  if (problem !== undefined) throw new CollectorError(7, problem)
}

function tooManyTables(max: number): DbError {
  const reason = `the events go to more than ${max} tables (plugins.eventcollector.max_request_tables)`
  return new DbError('InvalidArguments', reason)
}

/** Whether two rows have the same text, or both none. */
function sameText({ bytes }: ItemBatch, { kinds, words }: ItemField, a: number, b: number): boolean {
  const isText = kinds[a] === cell.string
  if (isText !== (kinds[b] === cell.string)) return false
  if (!isText) return true
  const [from, to] = [words[a * 2]!, words[b * 2]!]
  const length = words[a * 2 + 1]! - from
  if (words[b * 2 + 1]! - to !== length) return false
  for (let i = 0; i < length; i++) if (bytes[from + i] !== bytes[to + i]) return false
  return true
}
