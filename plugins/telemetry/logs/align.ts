// Converts the columns of a request to the types of a table whose schema is not the usual one.
import {
  type Column,
  type ColumnData,
  type ColumnType,
  convertTime,
  DbError,
  type FixedData,
  isTimestamp,
  isValid,
  type Table,
  type TableColumn,
  type TimestampType,
  timeUnit
} from '../../../core/index.ts'

/** Throws DbError `InvalidArguments` naming a column that cannot be converted. */
export function aligned(columns: readonly Column[], table: Table | undefined): Column[] {
  if (table === undefined) return [...columns]
  const known = new Map(table.columns.map(column => [column.name, column]))
  return columns.map(column => {
    if (column.semantic === 'timestamp') return alignedTime(column, table.timeIndex)
    const existing = known.get(column.name)
    if (existing === undefined) return { ...column, semantic: 'field' }
    if (existing.type === column.type) return { ...column, semantic: existing.semantic }
    return alignedValue(column, existing)
  })
}

function alignedTime(column: Column, { name, type }: TableColumn): Column {
  if (type === column.type) return { ...column, name }
  if (!isTimestamp(type)) throw refused(column, type)
  const { values } = column.data as FixedData
  const unit = timeUnit(type as TimestampType)
  const converted = BigInt64Array.from(values as BigInt64Array, value => convertTime(value, 'ns', unit))
  return { ...column, name, type, data: { kind: 'fixed', values: converted } }
}

const integers: Partial<Record<ColumnType, (values: ArrayLike<number>) => FixedData['values']>> = {
  Int8: values => Int8Array.from(values),
  Int16: values => Int16Array.from(values),
  Int32: values => Int32Array.from(values),
  UInt8: values => Uint8Array.from(values),
  UInt16: values => Uint16Array.from(values),
  UInt32: values => Uint32Array.from(values),
  Int64: values => BigInt64Array.from(Array.from(values, BigInt)),
  UInt64: values => BigUint64Array.from(Array.from(values, BigInt)),
  Float32: values => Float32Array.from(values),
  Float64: values => Float64Array.from(values)
}

/** Converts numbers to wider numbers, and any type to text. */
function alignedValue(column: Column, { type, semantic }: TableColumn): Column {
  const { data } = column
  const { index: _, ...rest } = column
  if (type === 'String' || type === 'Json') {
    const isText = column.type === 'Json' || (data.kind === 'fixed' && column.type !== 'Boolean')
    if (!isText) throw refused(column, type)
    return { ...rest, type, semantic, data: data.kind === 'fixed' ? textsOf(data) : data }
  }
  const make = integers[type]
  if (make === undefined || data.kind !== 'fixed') throw refused(column, type)
  const numbers = Array.from(data.values as Int32Array, Number)
  const values = make(numbers)
  const fits = numbers.every((value, i) => Number(values[i]) === value)
  if (!fits) throw refused(column, type)
  return { ...rest, type, semantic, data: { ...data, values } }
}

function textsOf(data: FixedData): ColumnData {
  const { values, valid } = data
  const offsets = new Uint32Array(values.length + 1)
  const texts = Array.from(values as Int32Array, (value, i) => Buffer.from(isValid(valid, i) ? String(value) : ''))
  for (const [i, text] of texts.entries()) offsets[i + 1] = offsets[i]! + text.length
  return { kind: 'bytes', offsets, bytes: Buffer.concat(texts), ...(valid && { valid }) }
}

function refused({ name, type }: Column, wanted: ColumnType): DbError {
  return new DbError('InvalidArguments', `failed to align log column '${name}': ${type} does not become ${wanted}`)
}
