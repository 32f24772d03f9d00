// The `custom_time_index` of a request: which field of the items is the time index, and how it is read.
import {
  cell,
  compileDateFormat,
  type DateFormat,
  DbError,
  type ItemBatch,
  ItemField,
  type TimestampType,
  type TimeUnit,
  timestampType
} from '../../../core/compute.ts'
import { kindName, shownCell } from '../cell/input.ts'
import { readInteger } from '../cell/number.ts'

export type CustomTimeIndex = { readonly field: string; readonly type: TimestampType } & (
  | { readonly kind: 'epoch' }
  | { readonly kind: 'datestr'; readonly format: DateFormat }
)

const units: readonly string[] = ['s', 'ms', 'us', 'ns'] satisfies TimeUnit[]

/** Reads `field;epoch;<s|ms|us|ns>` or `field;datestr;<format with an offset>`. Throws DbError `InvalidArguments`. */
export function parseTimeIndex(text: string): CustomTimeIndex {
  const refuse = (reason: string) =>
    new DbError('InvalidArguments', `Invalid custom time index config: ${text.slice(0, 120)}: ${reason}`)
  const parts = text.split(';')
  const [field = '', kind, detail = ''] = parts
  if (parts.length !== 3 || field === '') throw refuse('expected field;epoch;<unit> or field;datestr;<format>')
  if (kind === 'epoch') {
    if (!units.includes(detail)) throw refuse(`unknown unit '${detail}', expected s, ms, us or ns`)
    return { kind, field, type: timestampType(detail as TimeUnit) }
  }
  if (kind !== 'datestr') throw refuse(`unknown kind '${kind}', expected epoch or datestr`)
  if (!/%(?::{0,2}z|#z|s|\+)/.test(detail)) throw refuse('the format needs an offset such as %z')
  return { kind, field, type: 'TimestampNanosecond', format: compileDateFormat(detail, refuse) }
}

/** The time of every row, as integers in the column's unit (epoch) or timestamps (datestr); rows without one are failed, or left absent if `lenient`. */
export function readTimeIndex(
  batch: ItemBatch,
  rows: Uint32Array,
  index: CustomTimeIndex,
  lenient: boolean
): ItemField {
  const source = batch.field(index.field)
  const times = new ItemField(index.field, batch.rows)
  for (const row of rows) {
    const kind = source?.kinds[row] ?? cell.absent
    const fault = kind <= cell.null ? 'missing' : readTime(batch, source!, row, index, times)
    if (fault === undefined || lenient) continue
    const value = kind <= cell.null ? '' : `: ${shownCell(batch, source!, row)}`
    batch.fail(row, `time index field ${index.field}: ${fault}${value}`)
  }
  return times
}

/** Sets the time or says what is wrong. */
function readTime(batch: ItemBatch, source: ItemField, row: number, index: CustomTimeIndex, times: ItemField) {
  const kind = source.kinds[row]!
  const start = source.words[row * 2]!
  const end = source.words[row * 2 + 1]!
  if (index.kind === 'datestr') {
    if (kind !== cell.string) return `expected text, got ${kindName(kind)}`
    const { format } = index
    if (!format.read(batch.bytes, start, end)) return `does not match ${format.text}`
    const seconds = format.seconds - format.offset
    if (!(Math.abs(seconds) < 9_223_372_036)) return 'out of range'
    times.setTime(row, seconds, format.nanosecond)
    return undefined
  }
  if (kind === cell.timestamp) times.setTimestamp(row, source.ints[row]!)
  else if (kind === cell.int) times.setInt(row, source.ints[row]!)
  else {
    const value = kind === cell.string ? readInteger(batch.bytes, start, end) : undefined
    if (value === undefined || BigInt.asIntN(64, value) !== value) return 'not an integer'
    times.setInt(row, value)
  }
  return undefined
}
