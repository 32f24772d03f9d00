// Checks what plugins hand to `Store.write`, column by column, because the engine and its log trust it.
import { isUtf8 } from 'node:buffer'
import { DbError } from '../errors.ts'
import { type BytesData, type Column, type ColumnData, isValid, type RowTags, type TableWrite } from '../model/batch.ts'
import { optionsProblem } from '../model/options.ts'
import type { SeriesKeys, SeriesLabel, SeriesWrite } from '../model/series.ts'
import { elementsPerRow, fixedArray, isBytesType, isColumnType, isTimestamp } from '../model/types.ts'
import type { Steps } from '../pace.ts'

/** Rows checked in one step. */
const stepRows = 1_024

/** More rows would not fit the 32-bit row counters. */
const maxRows = 2 ** 32 - 1

/**
 * Checks all columns of a write. Throws DbError `Unexpected` for data that does not match its column, `InvalidArguments` for text that is not UTF-8.
 */
export function* checkColumns(plugin: string, write: TableWrite): Steps<void> {
  const { table, rows, columns, tags, op = 'put', options = {} } = write
  const where = `plugin ${plugin}, table ${String(table)}`
  if (!isCount(rows, maxRows)) throw defect(`${where}: rows is ${String(rows)}, expected 0 to ${maxRows}`)
  if (op !== 'put' && op !== 'delete') throw defect(`${where}: op is ${String(op)}, expected put or delete`)
  const problem = optionsProblem(options)
  if (problem !== undefined) throw defect(`${where}: ${problem}`)
  if (!Array.isArray(columns)) throw defect(`${where}: columns is no array`)
  for (const column of columns) {
    checkColumn(where, column, rows)
    checkSeconds(where, column)
    if (rows > stepRows) yield
  }
  if (tags !== undefined) checkTags(where, tags, rows)
}

/** Checks a write of samples by series; throws like `checkColumns`. */
export function checkSamples(plugin: string, write: SeriesWrite): void {
  const where = `plugin ${plugin}, table ${String(write.physicalTable)}`
  const { keys, samples, series, times, values, options = {} } = write
  if (!isCount(samples, maxRows)) throw defect(`${where}: samples is ${String(samples)}, expected 0 to ${maxRows}`)
  const problem = optionsProblem(options)
  if (problem !== undefined) throw defect(`${where}: ${problem}`)
  checkKeys(where, keys)
  checkNumbers(where, series, samples, keys.count)
  requireArray(`${where}: times`, times, BigInt64Array, samples)
  requireArray(`${where}: values`, values, Float64Array, samples)
}

/** Checks the labels a plugin gives for a key; throws like `checkColumns`. */
export function checkLabels(where: string, labels: readonly SeriesLabel[]): void {
  const names = new Set<string>()
  for (const { name, value } of labels) {
    if (names.has(name)) throw new DbError('InvalidArguments', `${where}: label ${name} is given twice`)
    names.add(name)
    requireBytes(`${where}: label ${String(name)}`, value)
    if (value.length === 0) throw defect(`${where}: label ${name} is empty, expected at least one byte`)
    if (!isUtf8(value)) throw new DbError('InvalidArguments', `${where}: label ${name} is no UTF-8`)
  }
}

/** Checks one column of `rows` rows; throws like `checkColumns`. */
export function checkColumn(path: string, column: Column, rows: number): void {
  if (typeof column !== 'object' || column === null) throw defect(`${path}: a column is ${String(column)}`)
  const { name, type, semantic, data, index } = column
  const where = `${path}, column ${String(name)}`
  if (typeof name !== 'string') throw defect(`${where}: the name is no text`)
  if (!isColumnType(type)) throw defect(`${where}: unknown type ${String(type)}`)
  if (semantic !== 'tag' && semantic !== 'field' && semantic !== 'timestamp') {
    throw defect(`${where}: unknown semantic ${String(semantic)}, expected tag, field or timestamp`)
  }
  if (index !== undefined && !['inverted', 'fulltext', 'skipping'].includes(index?.kind)) {
    throw defect(`${where}: unknown index ${String(index?.kind)}`)
  }
  if (typeof data !== 'object' || data === null) throw defect(`${where}: it has no data`)
  checkData(where, column, rows)
  if (semantic !== 'timestamp') return
  if (!isTimestamp(type)) throw defect(`${where}: the time index is ${type}, expected a timestamp`)
  const missing = firstNull(data.valid, rows)
  if (missing !== undefined) throw defect(`${where}: the time of row ${missing} is null`)
}

function checkData(where: string, { type, data }: Column, rows: number): void {
  checkBitmap(where, data, rows)
  switch (data.kind) {
    case 'fixed': {
      if (isBytesType(type)) throw defect(`${where}: ${type} needs bytes or a dictionary, not fixed values`)
      const expected = rows * elementsPerRow(type)
      requireArray(where, data.values, fixedArray(type), expected, expected)
      if (type === 'Boolean') checkBooleans(where, data.values as Uint8Array, data.valid)
      return
    }
    case 'bytes':
      if (!isBytesType(type)) throw defect(`${where}: ${type} needs fixed values, not bytes`)
      checkBytes(where, data, rows, type !== 'Binary')
      return
    case 'dictionary':
      if (!isBytesType(type)) throw defect(`${where}: ${type} needs fixed values, not a dictionary`)
      checkDictionary(where, data, rows, type !== 'Binary')
      return
    default:
      throw defect(`${where}: unknown kind of data ${String((data as { kind: unknown }).kind)}`)
  }
}

function checkBitmap(where: string, { valid }: ColumnData, rows: number): void {
  if (valid === undefined) return
  requireBytes(`${where}: its bitmap`, valid)
  const expected = Math.ceil(rows / 8)
  if (valid.length < expected) {
    throw defect(`${where}: its bitmap has ${valid.length} bytes, expected ${expected} for ${rows} rows`)
  }
}

/** Skips nulls: engines leave arbitrary bytes there. */
function checkBooleans(where: string, values: Uint8Array, valid: Uint8Array | undefined): void {
  for (let i = 0; i < values.length; i++) {
    if (values[i]! > 1 && isValid(valid, i)) throw defect(`${where}: row ${i} is ${values[i]}, a Boolean is 0 or 1`)
  }
}

/** Parquet stores seconds as microseconds; larger values could not be flushed. */
const maxSeconds = 9_223_372_036_854n

/** Not checked for records of the log: rows that are already stored must not be lost for it. */
function checkSeconds(path: string, { name, type, data }: Column): void {
  if (type !== 'TimestampSecond' || data.kind !== 'fixed') return
  const values = data.values as BigInt64Array
  for (let i = 0; i < values.length; i++) {
    const seconds = values[i]!
    if ((seconds <= maxSeconds && seconds >= -maxSeconds) || !isValid(data.valid, i)) continue
    const range = `times in seconds reach from -${maxSeconds} to ${maxSeconds}`
    throw new DbError('InvalidArguments', `${path}, column ${name}: row ${i} is ${seconds}, ${range}`)
  }
}

function checkBytes(where: string, { offsets, bytes }: BytesData, rows: number, isText: boolean): void {
  requireArray(`${where}: its offsets`, offsets, Uint32Array, rows + 1, rows + 1)
  requireBytes(where, bytes)
  for (let i = 0; i < rows; i++) {
    if (offsets[i]! > offsets[i + 1]!) {
      throw defect(`${where}: row ${i} begins at byte ${offsets[i]} and ends at ${offsets[i + 1]}, offsets ascend`)
    }
  }
  const [start, end] = [offsets[0]!, offsets[rows]!]
  if (end > bytes.length) throw defect(`${where}: its offsets end at byte ${end}, there are ${bytes.length}`)
  if (isText) checkText(where, offsets, bytes, start, end)
}

/** All texts together are valid UTF-8 and none begins within a character, so each of them is valid. */
function checkText(where: string, offsets: Uint32Array, bytes: Uint8Array, start: number, end: number): void {
  const isWhole = isUtf8(bytes.subarray(start, end))
  for (let i = 0; i + 1 < offsets.length; i++) {
    const [from, to] = [offsets[i]!, offsets[i + 1]!]
    const isCut = from < end && (bytes[from]! & 0xc0) === 0x80
    if (isCut || (!isWhole && !isUtf8(bytes.subarray(from, to)))) {
      throw new DbError('InvalidArguments', `${where}: the text of row ${isCut && i > 0 ? i - 1 : i} is no UTF-8`)
    }
  }
}

function checkDictionary(
  where: string,
  { codes, dictionary, valid }: Extract<ColumnData, { readonly kind: 'dictionary' }>,
  rows: number,
  isText: boolean
): void {
  requireArray(`${where}: its codes`, codes, Uint32Array, rows, rows)
  if (dictionary?.kind !== 'bytes') throw defect(`${where}: its dictionary is no bytes`)
  requireArray(`${where}: the offsets of its dictionary`, dictionary.offsets, Uint32Array, 1)
  const entries = dictionary.offsets.length - 1
  checkBytes(`${where}, dictionary`, dictionary, entries, isText)
  if (dictionary.valid !== undefined) throw defect(`${where}: its dictionary has nulls, expected them in the rows`)
  for (let i = 0; i < rows; i++) {
    if (codes[i]! >= entries && isValid(valid, i)) {
      throw defect(`${where}: row ${i} has code ${codes[i]}, its dictionary has ${entries} entries`)
    }
  }
}

function checkTags(where: string, { keys, series }: RowTags, rows: number): void {
  checkKeys(where, keys)
  checkNumbers(where, series, rows, keys.count)
}

function checkKeys(where: string, keys: SeriesKeys): void {
  const { count, bytes, starts, ends, hashes } = keys
  if (!isCount(count, maxRows)) throw defect(`${where}: it has ${String(count)} keys, expected 0 to ${maxRows}`)
  requireBytes(`${where}: keys`, bytes)
  requireArray(`${where}: starts of keys`, starts, Uint32Array, count)
  requireArray(`${where}: ends of keys`, ends, Uint32Array, count)
  if (hashes !== undefined) requireArray(`${where}: hashes of keys`, hashes, Int32Array, count)
  for (let i = 0; i < count; i++) {
    if (starts[i]! > ends[i]! || ends[i]! > bytes.length) {
      throw defect(`${where}: key ${i} is bytes ${starts[i]} to ${ends[i]} of ${bytes.length}`)
    }
  }
}

function checkNumbers(where: string, series: Uint32Array, rows: number, count: number): void {
  requireArray(`${where}: series`, series, Uint32Array, rows)
  for (let i = 0; i < rows; i++) {
    if (series[i]! >= count) throw defect(`${where}: row ${i} belongs to key ${series[i]}, there are ${count}`)
  }
}

type TypedArray = abstract new (...args: never[]) => { readonly length: number }

/** An array of another type with the same length would be read beyond its bytes. */
function requireArray(where: string, found: unknown, array: TypedArray, min: number, max?: number): void {
  if (!(found instanceof array)) throw defect(`${where}: expected ${array.name}, got ${nameOf(found)}`)
  const { length } = found
  if (length >= min && (max === undefined || length <= max)) return
  throw defect(`${where}: it has ${length} elements, expected ${max === undefined ? 'at least ' : ''}${min}`)
}

function requireBytes(where: string, found: unknown): void {
  if (!(found instanceof Uint8Array)) throw defect(`${where}: expected Uint8Array, got ${nameOf(found)}`)
}

function nameOf(value: unknown): string {
  return value === null || typeof value !== 'object' ? typeof value : (value.constructor?.name ?? 'an object')
}

function firstNull(valid: Uint8Array | undefined, rows: number): number | undefined {
  if (valid === undefined) return undefined
  for (let i = 0; i < rows; i++) if (!isValid(valid, i)) return i
  return undefined
}

function isCount(value: unknown, max: number): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= max
}

function defect(message: string): DbError {
  return new DbError('Unexpected', message)
}
