// Checks the columns that plugins hand to `Store.write`, one by one, because the engine and its log trust it.
import { isUtf8 } from 'node:buffer'
import { DbError } from '../errors.ts'
import { type BytesData, type Column, type ColumnData, isValid, type RowTags, type TableWrite } from '../model/batch.ts'
import { isIndexKind } from '../model/column-index.ts'
import { optionsProblem } from '../model/options.ts'
import type { SeriesLabel, SeriesWrite } from '../model/series.ts'
import { elementsPerRow, fixedArray, isBytesType, isColumnType, isTimestamp } from '../model/types.ts'
import type { Steps } from '../pace.ts'

/** Rows checked in one step. */
const stepRows = 4_096
/** Of so few even a thousand columns are checked in one step. */
const fewRows = 64

/** A check of each of so many rows, in parts of them. */
interface RowCheck {
  readonly count: number
  check(from: number, to: number): void
}

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
  if (!Array.isArray(columns)) throw defect(`${where}: columns is not an array`)
  for (const column of columns) {
    yield* inSteps(columnChecks(where, column, rows))
    if (column.type === 'TimestampSecond') yield* inSteps(secondsChecks(where, column, rows))
  }
  if (tags !== undefined) yield* inSteps(tagChecks(where, tags, rows))
}

function* inSteps(checks: readonly RowCheck[]): Steps<void> {
  for (const each of checks)
    for (let from = 0; from < each.count; from += stepRows) {
      each.check(from, Math.min(each.count, from + stepRows))
      if (each.count > fewRows) yield
    }
}

/** Checks a write of samples by series; throws like `checkColumns`. */
export function* checkSamples(plugin: string, write: SeriesWrite): Steps<void> {
  const where = `plugin ${plugin}, table ${String(write.physicalTable)}`
  const { keys, samples, series, times, values, options = {} } = write
  if (!isCount(samples, maxRows)) throw defect(`${where}: samples is ${String(samples)}, expected 0 to ${maxRows}`)
  const problem = optionsProblem(options)
  if (problem !== undefined) throw defect(`${where}: ${problem}`)
  const checks = tagChecks(where, { keys, series }, samples)
  requireArray(`${where}: times`, times, BigInt64Array, samples)
  requireArray(`${where}: values`, values, Float64Array, samples)
  yield* inSteps(checks)
}

/** Checks the labels a plugin gives for a key; throws like `checkColumns`. */
export function checkLabels(where: string, labels: readonly SeriesLabel[]): void {
  const names = new Set<string>()
  for (const { name, value } of labels) {
    if (names.has(name)) throw new DbError('InvalidArguments', `${where}: label ${name} is given twice`)
    names.add(name)
    requireBytes(`${where}: label ${String(name)}`, value)
    if (value.length === 0) throw defect(`${where}: label ${name} is empty, expected at least one byte`)
    if (!isUtf8(value)) throw new DbError('InvalidArguments', `${where}: label ${name} is not UTF-8`)
  }
}

/** Checks one column of `rows` rows; throws like `checkColumns`. */
export function checkColumn(path: string, column: Column, rows: number): void {
  for (const { count, check } of columnChecks(path, column, rows)) check(0, count)
}

/** Runs the checks that do not depend on the number of rows, and returns those that do. */
function columnChecks(path: string, column: Column, rows: number): RowCheck[] {
  if (typeof column !== 'object' || column === null) throw defect(`${path}: a column is ${String(column)}`)
  const { name, type, semantic, data, index } = column
  const where = `${path}, column ${String(name)}`
  if (typeof name !== 'string') throw defect(`${where}: the name is not text`)
  if (!isColumnType(type)) throw defect(`${where}: unknown type ${String(type)}`)
  if (semantic !== 'tag' && semantic !== 'field' && semantic !== 'timestamp') {
    throw defect(`${where}: unknown semantic ${String(semantic)}, expected tag, field or timestamp`)
  }
  if (index !== undefined && !isIndexKind(index?.kind)) {
    throw defect(`${where}: unknown index ${String(index?.kind)}`)
  }
  if (typeof data !== 'object' || data === null) throw defect(`${where}: it has no data`)
  const checks = dataChecks(where, column, rows)
  if (semantic !== 'timestamp') return checks
  if (!isTimestamp(type)) throw defect(`${where}: the time index is ${type}, expected a timestamp`)
  if (data.valid !== undefined) checks.push(nullCheck(where, data.valid, rows))
  return checks
}

function dataChecks(where: string, { type, data }: Column, rows: number): RowCheck[] {
  checkBitmap(where, data, rows)
  switch (data.kind) {
    case 'fixed': {
      if (isBytesType(type)) throw defect(`${where}: ${type} needs bytes or a dictionary, not fixed values`)
      const expected = rows * elementsPerRow(type)
      requireArray(where, data.values, fixedArray(type), expected, expected)
      return type === 'Boolean' ? [booleanCheck(where, data.values as Uint8Array, data.valid)] : []
    }
    case 'bytes':
      if (!isBytesType(type)) throw defect(`${where}: ${type} needs fixed values, not bytes`)
      return bytesChecks(where, data, rows, type !== 'Binary')
    case 'dictionary':
      if (!isBytesType(type)) throw defect(`${where}: ${type} needs fixed values, not a dictionary`)
      return dictionaryChecks(where, data, rows, type !== 'Binary')
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
function booleanCheck(where: string, values: Uint8Array, valid: Uint8Array | undefined): RowCheck {
  return {
    count: values.length,
    check(from, to) {
      for (let i = from; i < to; i++)
        if (values[i]! > 1 && isValid(valid, i)) throw defect(`${where}: row ${i} is ${values[i]}, a Boolean is 0 or 1`)
    }
  }
}

function nullCheck(where: string, valid: Uint8Array, rows: number): RowCheck {
  return {
    count: rows,
    check(from, to) {
      for (let i = from; i < to; i++) if (!isValid(valid, i)) throw defect(`${where}: the time of row ${i} is null`)
    }
  }
}

/** Parquet stores seconds as microseconds; larger values could not be flushed. */
const maxSeconds = 9_223_372_036_854n

/** Not checked for records of the log: rows that are already stored must not be lost for it. */
function secondsChecks(path: string, { name, data }: Column, rows: number): RowCheck[] {
  if (data.kind !== 'fixed') return []
  const values = data.values as BigInt64Array
  const check = (from: number, to: number) => {
    for (let i = from; i < to; i++) {
      const seconds = values[i]!
      if ((seconds <= maxSeconds && seconds >= -maxSeconds) || !isValid(data.valid, i)) continue
      const range = `times in seconds reach from -${maxSeconds} to ${maxSeconds}`
      throw new DbError('InvalidArguments', `${path}, column ${name}: row ${i} is ${seconds}, ${range}`)
    }
  }
  return [{ count: rows, check }]
}

function bytesChecks(where: string, { offsets, bytes }: BytesData, rows: number, isText: boolean): RowCheck[] {
  requireArray(`${where}: its offsets`, offsets, Uint32Array, rows + 1, rows + 1)
  requireBytes(where, bytes)
  const check = (from: number, to: number) => {
    for (let i = from; i < to; i++) {
      if (offsets[i]! > offsets[i + 1]!) {
        throw defect(`${where}: row ${i} begins at byte ${offsets[i]} and ends at ${offsets[i + 1]}, offsets ascend`)
      }
    }
    const end = offsets[to]!
    if (to === rows && end > bytes.length)
      throw defect(`${where}: its offsets end at byte ${end}, there are ${bytes.length}`)
  }
  // Without rows there is one offset to check.
  if (rows === 0) check(0, 0)
  const checks: RowCheck[] = [{ count: rows, check }]
  if (isText) checks.push({ count: rows, check: (from, to) => checkText(where, offsets, bytes, from, to) })
  return checks
}

/** The texts of some rows together are valid UTF-8 and none begins within a character, so each of them is valid. */
function checkText(where: string, offsets: Uint32Array, bytes: Uint8Array, first: number, last: number): void {
  const [start, end] = [offsets[first]!, offsets[last]!]
  const isWhole = isUtf8(bytes.subarray(start, end))
  for (let i = first; i < last; i++) {
    const [from, to] = [offsets[i]!, offsets[i + 1]!]
    const isCut = from < end && (bytes[from]! & 0xc0) === 0x80
    if (isCut || (!isWhole && !isUtf8(bytes.subarray(from, to)))) {
      throw new DbError('InvalidArguments', `${where}: the text of row ${isCut && i > 0 ? i - 1 : i} is not UTF-8`)
    }
  }
}

function dictionaryChecks(
  where: string,
  { codes, dictionary, valid }: Extract<ColumnData, { readonly kind: 'dictionary' }>,
  rows: number,
  isText: boolean
): RowCheck[] {
  requireArray(`${where}: its codes`, codes, Uint32Array, rows, rows)
  if (dictionary?.kind !== 'bytes') throw defect(`${where}: its dictionary is not bytes`)
  requireArray(`${where}: the offsets of its dictionary`, dictionary.offsets, Uint32Array, 1)
  const entries = dictionary.offsets.length - 1
  const checks = bytesChecks(`${where}, dictionary`, dictionary, entries, isText)
  if (dictionary.valid !== undefined) throw defect(`${where}: its dictionary has nulls, expected them in the rows`)
  const check = (from: number, to: number) => {
    for (let i = from; i < to; i++) {
      if (codes[i]! >= entries && isValid(valid, i)) {
        throw defect(`${where}: row ${i} has code ${codes[i]}, its dictionary has ${entries} entries`)
      }
    }
  }
  return [...checks, { count: rows, check }]
}

/** The keys of rows, and which row has which. */
function tagChecks(where: string, { keys, series }: Pick<RowTags, 'keys' | 'series'>, rows: number): RowCheck[] {
  const { count, bytes, starts, ends, hashes } = keys
  if (!isCount(count, maxRows)) throw defect(`${where}: it has ${String(count)} keys, expected 0 to ${maxRows}`)
  requireBytes(`${where}: keys`, bytes)
  requireArray(`${where}: starts of keys`, starts, Uint32Array, count)
  requireArray(`${where}: ends of keys`, ends, Uint32Array, count)
  if (hashes !== undefined) requireArray(`${where}: hashes of keys`, hashes, Int32Array, count)
  requireArray(`${where}: series`, series, Uint32Array, rows)
  const checkKeys = (from: number, to: number) => {
    for (let i = from; i < to; i++) {
      if (starts[i]! > ends[i]! || ends[i]! > bytes.length) {
        throw defect(`${where}: key ${i} is bytes ${starts[i]} to ${ends[i]} of ${bytes.length}`)
      }
    }
  }
  const checkSeries = (from: number, to: number) => {
    for (let i = from; i < to; i++) {
      if (series[i]! >= count) throw defect(`${where}: row ${i} belongs to key ${series[i]}, there are ${count}`)
    }
  }
  return [
    { count, check: checkKeys },
    { count: rows, check: checkSeries }
  ]
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

function isCount(value: unknown, max: number): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= max
}

function defect(message: string): DbError {
  return new DbError('Unexpected', message)
}
