// Events as columns: the protocol's own keys and `fields` become tags, all other members fields.
import {
  booleanColumn,
  type Column,
  type ColumnData,
  cell,
  compareUtf8,
  floatColumn,
  type ItemBatch,
  type ItemField,
  integerColumn,
  isExactFloat,
  type Semantic,
  type Steps,
  type Table,
  textColumn,
  timeColumn
} from '../../core/index.ts'
import { type Events, fieldPrefix, tagKeys } from './decode/events.ts'
import { CollectorError } from './errors.ts'

/** A field of the batch that becomes a column. */
interface Source {
  readonly name: string
  readonly field: ItemField
  readonly semantic: Semantic
  /** 0 for the protocol's own keys, 1 for tags, 2 for fields. */
  readonly rank: number
  /** The first row with a value. */
  readonly first: number
}

type ValueType = 'String' | 'Int64' | 'Float64' | 'Boolean'

const noValue = (1 << cell.absent) | (1 << cell.null) | (1 << cell.object)

/**
 * The columns of these rows. Throws CollectorError for a column with values of several types; integers become floats if the table's column is
 * a float.
 */
export function* columnsOf({ batch, time }: Events, rows: Uint32Array, table: Table | undefined): Steps<Column[]> {
  const known = new Map(table?.columns.map(column => [column.name, column]))
  const times = integerColumn(time, rows)
  const columns: Column[] = [{ name: timeColumn, type: 'TimestampNanosecond', semantic: 'timestamp', data: times }]
  yield
  for (const { name, field, semantic } of yield* sourcesOf(batch, rows)) {
    const type = typeOf(name, field, rows, known.get(name)?.type === 'Float64')
    yield
    columns.push({ name, type, semantic, data: yield* dataOf(batch, field, rows, type) })
    yield
  }
  return columns
}

/** Host, source and sourcetype first, then tags, then fields, both in order of appearance. */
function* sourcesOf(batch: ItemBatch, rows: Uint32Array): Steps<readonly Source[]> {
  const sources = new Map<string, Source>()
  for (const field of batch.fields.values()) {
    const isTag = field.name.startsWith(fieldPrefix)
    const name = isTag ? field.name.slice(fieldPrefix.length) : field.name
    if (name === timeColumn || field.name === 'fields') continue
    const first = firstValue(field, rows)
    if (first < 0) continue
    const tagIndex = tagKeys.indexOf(name)
    if (tagIndex >= 0) textOnly(batch, field, rows)
    const semantic = isTag || tagIndex >= 0 ? 'tag' : 'field'
    const rank = tagIndex >= 0 ? 0 : isTag ? 1 : 2
    const source = { name, field, semantic, rank, first: tagIndex >= 0 ? tagIndex : first } as const
    const other = sources.get(name)
    sources.set(name, other === undefined ? source : merged(other, source, rows))
    yield
  }
  return [...sources.values()].sort((a, b) => a.rank - b.rank || a.first - b.first || compareUtf8(a.name, b.name))
}

function firstValue({ kinds }: ItemField, rows: Uint32Array): number {
  for (let i = 0; i < rows.length; i++) if (((1 << kinds[rows[i]!]!) & noValue) === 0) return i
  return -1
}

/** A name that occurs in `fields` and in the event becomes one column; the event's own value wins. */
function merged(a: Source, b: Source, rows: Uint32Array): Source {
  const [own, other] = a.field.name.startsWith(fieldPrefix) ? [b, a] : [a, b]
  for (const row of rows) {
    if (((1 << own.field.kinds[row]!) & noValue) === 0) continue
    own.field.kinds[row] = other.field.kinds[row]!
    own.field.ints[row] = other.field.ints[row]!
  }
  if (tagKeys.includes(own.name)) return own
  return { ...own, first: Math.min(own.first, other.first) }
}

/** Converts values to text, because the protocol's tags are always text. */
function textOnly(batch: ItemBatch, field: ItemField, rows: Uint32Array): void {
  for (const row of rows) {
    const kind = field.kinds[row]
    if (kind === cell.object) field.setAbsent(row)
    else if (kind !== cell.string && kind! > cell.null) batch.setText(field, row, String(batch.get(field, row)))
  }
}

/** Integers that become floats must be exact as floats. */
function checkIntegers({ name, kinds, ints }: ItemField, rows: Uint32Array): void {
  for (const row of rows) {
    if (kinds[row] !== cell.int || isExactFloat(ints[row]!)) continue
    const reason = `the integer ${ints[row]} would lose digits in a column of floats`
    throw new CollectorError(6, `Column datatype mismatch. For column: ${name}, ${reason}`)
  }
}

function typeOf(name: string, field: ItemField, rows: Uint32Array, asFloat: boolean): ValueType {
  const { kinds } = field
  let seen = 0
  for (let i = 0; i < rows.length; i++) seen |= 1 << kinds[rows[i]!]!
  const types = seen & ~noValue
  if ((types === 1 << cell.int && asFloat) || types === ((1 << cell.float) | (1 << cell.int))) {
    checkIntegers(field, rows)
    return 'Float64'
  }
  switch (types) {
    case 1 << cell.string:
      return 'String'
    case 1 << cell.boolean:
      return 'Boolean'
    case 1 << cell.int:
      return 'Int64'
    case 1 << cell.float:
      return 'Float64'
  }
  const found = Object.keys(typeNames).filter(kind => (seen & (1 << Number(kind))) !== 0)
  const names = found.map(kind => typeNames[Number(kind)]).join(' and ')
  throw new CollectorError(6, `Column datatype mismatch. For column: ${name}, the events have ${names}`)
}

const typeNames: Readonly<Record<number, ValueType>> = {
  [cell.boolean]: 'Boolean',
  [cell.int]: 'Int64',
  [cell.float]: 'Float64',
  [cell.string]: 'String'
}

function* dataOf(batch: ItemBatch, field: ItemField, rows: Uint32Array, type: ValueType): Steps<ColumnData> {
  if (type === 'String') return yield* textColumn(batch, field, rows)
  if (type === 'Boolean') return booleanColumn(field, rows)
  return type === 'Int64' ? integerColumn(field, rows) : floatColumn(field, rows)
}
