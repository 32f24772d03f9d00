// Encodes and decodes the footer and the page index.
import { type Bounds, boundBytes, compareBounds, readBound, type Seen } from './bounds.ts'
import { Codec, magic, maxGroupRows, Physical } from './format.ts'
import { Output } from './output.ts'
import {
  binaries,
  binary,
  bool,
  bools,
  type Field,
  Fields,
  i8,
  i32,
  i32s,
  i64,
  i64s,
  struct,
  structs,
  ThriftReader,
  writeStruct
} from './thrift.ts'
import {
  type ChunkInfo,
  type Extent,
  type LogicalType,
  type PageInfo,
  type ParquetColumn,
  ParquetError,
  type ParquetFooter,
  type PhysicalType,
  type ReadAt,
  type RowGroupInfo
} from './types.ts'

const createdBy = 'weir version 1.0.0'

const physical: Readonly<Record<PhysicalType, number>> = { ...Physical, fixed16: Physical.fixed }

const signedInts = { 8: 15, 16: 16, 32: 17, 64: 18 } as const
const unsignedInts = { 8: 11, 16: 12, 32: 13, 64: 14 } as const
const timeUnits = { ms: 1, us: 2, ns: 3 } as const

/** Length and magic number at the end of a file. */
const tailBytes = 8

export function encodeFooter(footer: ParquetFooter): Uint8Array {
  const out = new Output(1 << 14)
  const groups = footer.rowGroups.map((group, ordinal) => groupFields(footer.columns, group, ordinal))
  writeStruct(out, [
    i32(1, 2),
    structs(2, [
      [binary(4, 'schema'), i32(5, footer.columns.length)],
      ...footer.columns.map(column => schemaFields(column))
    ]),
    i64(3, footer.rows),
    structs(4, groups),
    ...(footer.facts.size > 0 ? [factFields(footer.facts)] : []),
    binary(6, createdBy),
    structs(
      7,
      footer.columns.map(() => [struct(1)])
    )
  ])
  const length = out.at
  out.int32(length)
  out.int32(magic)
  return out.content()
}

function factFields(facts: ReadonlyMap<string, string>): Field {
  return structs(
    5,
    Array.from(facts, ([name, value]) => [binary(1, name), binary(2, value)])
  )
}

function schemaFields(column: ParquetColumn): Field[] {
  const { name, type, logical, optional } = column
  const fields: Field[] = [i32(1, physical[type])]
  if (type === 'fixed16') fields.push(i32(2, 16))
  fields.push(i32(3, optional ? 1 : 0), binary(4, name))
  if (logical === undefined) return fields
  const converted = convertedType(logical)
  if (converted !== undefined) fields.push(i32(6, converted))
  if (logical.kind === 'decimal') fields.push(i32(7, logical.scale), i32(8, logical.precision))
  fields.push(struct(10, logicalField(logical)))
  return fields
}

function convertedType(logical: LogicalType): number | undefined {
  switch (logical.kind) {
    case 'string':
      return 0
    case 'json':
      return 19
    case 'date':
      return 6
    case 'decimal':
      return 5
    case 'int':
      return (logical.signed ? signedInts : unsignedInts)[logical.bits]
    case 'timestamp':
      // The old converted types mean UTC; times here have no time zone, as in DuckDB.
      return undefined
  }
}

function logicalField(logical: LogicalType): Field {
  switch (logical.kind) {
    case 'string':
      return struct(1)
    case 'json':
      return struct(12)
    case 'date':
      return struct(6)
    case 'decimal':
      return struct(5, i32(1, logical.scale), i32(2, logical.precision))
    case 'int':
      return struct(10, i8(1, logical.bits), bool(2, logical.signed))
    case 'timestamp':
      return struct(8, bool(1, false), struct(2, struct(timeUnits[logical.unit])))
  }
}

function groupFields(columns: readonly ParquetColumn[], group: RowGroupInfo, ordinal: number): Field[] {
  const sum = (of: (chunk: ChunkInfo) => number) => group.columns.reduce((total, chunk) => total + of(chunk), 0)
  const fields = [
    structs(
      1,
      group.columns.map((chunk, i) => chunkFields(columns[i]!, chunk))
    ),
    i64(
      2,
      sum(chunk => chunk.plainBytes)
    ),
    i64(3, group.rows),
    i64(5, group.columns[0]!.offset),
    i64(
      6,
      sum(chunk => chunk.bytes)
    )
  ]
  // The ordinal has 16 bits.
  if (ordinal < 2 ** 15) fields.push({ id: 7, kind: 4, value: ordinal })
  return fields
}

function chunkFields(column: ParquetColumn, chunk: ChunkInfo): Field[] {
  const metadata: Field[] = [
    i32(1, physical[column.type]),
    i32s(2, chunk.encodings),
    binaries(3, [Buffer.from(column.name)]),
    i32(4, chunk.codec),
    i64(5, chunk.values),
    i64(6, chunk.plainBytes),
    i64(7, chunk.bytes),
    i64(9, chunk.dataOffset)
  ]
  if (chunk.dictionaryOffset !== undefined) metadata.push(i64(11, chunk.dictionaryOffset))
  metadata.push(struct(12, ...statisticsFields(column, chunk)))
  const fields = [i64(2, chunk.offset), struct(3, ...metadata)]
  if (chunk.offsetIndex !== undefined) fields.push(i64(4, chunk.offsetIndex.offset), i32(5, chunk.offsetIndex.bytes))
  if (chunk.columnIndex !== undefined) fields.push(i64(6, chunk.columnIndex.offset), i32(7, chunk.columnIndex.bytes))
  return fields
}

function statisticsFields(column: ParquetColumn, { nulls, min, max, distinct, shortened }: ChunkInfo): Field[] {
  const fields = [i64(3, nulls)]
  if (distinct !== undefined) fields.push(i64(4, distinct))
  if (min === undefined || max === undefined) return fields
  fields.push(binary(5, boundBytes(column, max)), binary(6, boundBytes(column, min)))
  fields.push(bool(7, shortened !== true), bool(8, shortened !== true))
  return fields
}

/** A page as the indexes describe it. */
export interface WrittenPage {
  readonly offset: number
  /** Including its header. */
  readonly bytes: number
  readonly from: number
  readonly nulls: number
  readonly seen: Seen
}

export function encodeOffsetIndex(pages: readonly WrittenPage[]): Uint8Array {
  const out = new Output(pages.length * 16 + 16)
  writeStruct(out, [
    structs(
      1,
      pages.map(({ offset, bytes, from }) => [i64(1, offset), i32(2, bytes), i64(3, from)])
    )
  ])
  return out.content()
}

/** Undefined if a page has values but no bounds, because the format cannot express that. */
export function encodeColumnIndex(column: ParquetColumn, pages: readonly WrittenPage[]): Uint8Array | undefined {
  const none = new Uint8Array(0)
  const lower: Uint8Array[] = []
  const upper: Uint8Array[] = []
  for (const { seen } of pages) {
    if (seen === 'nan') return undefined
    lower.push(seen === 'none' ? none : boundBytes(column, seen.min))
    upper.push(seen === 'none' ? none : boundBytes(column, seen.max))
  }
  const out = new Output(1024)
  writeStruct(out, [
    bools(
      1,
      pages.map(({ seen }) => seen === 'none')
    ),
    binaries(2, lower),
    binaries(3, upper),
    i32(4, boundaryOrder(column, pages)),
    i64s(
      5,
      pages.map(({ nulls }) => nulls)
    )
  ])
  return out.content()
}

/** 0: none, 1: both bounds ascend, 2: both descend. */
function boundaryOrder(column: ParquetColumn, pages: readonly WrittenPage[]): number {
  const known = pages.map(({ seen }) => seen).filter((seen): seen is Bounds => typeof seen === 'object')
  const holds = (sign: number) =>
    known.every((seen, i) => {
      if (i === 0) return true
      const before = known[i - 1]!
      return (
        sign * compareBounds(column, before.min, seen.min) <= 0 &&
        sign * compareBounds(column, before.max, seen.max) <= 0
      )
    })
  return holds(1) ? 1 : holds(-1) ? 2 : 0
}

/** Parses the footer of a file of `size` bytes. Throws ParquetError naming what is wrong and where. */
export function readFooter(read: ReadAt, size: number): ParquetFooter {
  if (size < tailBytes + 4) throw new ParquetError(`a file of ${size} bytes is too short`, 0)
  const tail = readExactly(read, size - tailBytes, tailBytes)
  const view = new DataView(tail.buffer, tail.byteOffset, tailBytes)
  if (view.getUint32(4, true) !== magic) {
    const what =
      Buffer.from(tail.subarray(4)).toString('latin1') === 'PARE'
        ? 'the file is encrypted'
        : 'the file does not end with PAR1'
    throw new ParquetError(what, size - 4)
  }
  const length = view.getUint32(0, true)
  if (length > size - tailBytes - 4) {
    throw new ParquetError(`the footer announces ${length} bytes in a file of ${size}`, size - tailBytes)
  }
  const start = size - tailBytes - length
  const bytes = readExactly(read, start, length)
  const file = new Fields(new ThriftReader(bytes, start).struct(), 'the footer', start)
  const columns = readSchema(file)
  const rowGroups = file.structs(4, 'row groups').map(group => readGroup(group, columns, start))
  const rows = file.size(3, 'number of rows')
  const sum = rowGroups.reduce((total, group) => total + group.rows, 0)
  if (sum !== rows) throw file.damaged(`announces ${rows} rows, its row groups ${sum}`)
  return { columns, rows, rowGroups, facts: readFacts(file) }
}

/** A name without a value is one with an empty value. */
function readFacts(file: Fields): ReadonlyMap<string, string> {
  const pairs = file.has(5) ? file.structs(5, 'key-value pairs') : []
  return new Map(pairs.map(pair => [pair.text(1, 'name of a fact'), pair.has(2) ? pair.text(2, 'fact') : '']))
}

function readExactly(read: ReadAt, offset: number, length: number): Uint8Array {
  const bytes = read(offset, length)
  if (bytes.length !== length) {
    throw new ParquetError(`the file ends early: ${bytes.length} of ${length} bytes could be read`, offset)
  }
  return bytes
}

function readSchema(file: Fields): ParquetColumn[] {
  const [root, ...elements] = file.structs(2, 'schema')
  if (root === undefined) throw file.damaged('has an empty schema')
  const count = root.maybeSize(5, 'number of columns') ?? 0
  const columns = elements.map(element => {
    const name = element.text(4, 'name of a column')
    if ((element.maybeSize(5, 'number of children') ?? 0) > 0 || !element.has(1)) {
      throw element.damaged(`has the nested column ${name}, which is not supported`)
    }
    const repetition = element.maybeNumber(3, 'repetition') ?? 0
    if (repetition !== 0 && repetition !== 1)
      throw element.damaged(`has the repeated column ${name}, which is not supported`)
    const logical = readLogical(element)
    const stored = element.number(1, 'type')
    const length = element.maybeSize(2, 'length of values')
    const type = physicalType(stored, length, logical)
    if (type === undefined)
      throw element.damaged(`has the column ${name} of the type ${stored}, which is not supported`)
    if (!fits(type, logical)) throw element.damaged(`has the column ${name} of a logical type its values cannot have`)
    return {
      name,
      type,
      ...(logical !== undefined && { logical }),
      optional: repetition === 1,
      ...(stored === Physical.fixed && { length: length! })
    }
  })
  if (columns.length !== count) throw file.damaged(`announces ${count} columns and has ${columns.length}`)
  if (columns.length === 0) throw file.damaged('has no columns')
  return columns
}

function physicalType(stored: number, length: number | undefined, logical?: LogicalType): PhysicalType | undefined {
  switch (stored) {
    case Physical.boolean:
      return 'boolean'
    case Physical.int32:
      return 'int32'
    case Physical.int64:
      return 'int64'
    case Physical.float:
      return 'float'
    case Physical.double:
      return 'double'
    case Physical.bytes:
      return logical?.kind === 'decimal' ? undefined : 'bytes'
    case Physical.fixed:
      if (length === undefined || length === 0 || length > 2 ** 20) return undefined
      return logical?.kind === 'decimal' ? (length <= 16 ? 'fixed16' : undefined) : 'bytes'
    default:
      return undefined
  }
}

function fits(type: PhysicalType, logical: LogicalType | undefined): boolean {
  switch (logical?.kind) {
    case undefined:
      return true
    case 'string':
    case 'json':
      return type === 'bytes'
    case 'date':
      return type === 'int32'
    case 'int':
      return type === (logical.bits === 64 ? 'int64' : 'int32')
    case 'timestamp':
      return type === 'int64'
    case 'decimal':
      return type === 'int32' || type === 'int64' || type === 'fixed16'
  }
}

function readLogical(element: Fields): LogicalType | undefined {
  const logical = element.maybeStruct(10, 'logical type')
  if (logical !== undefined) {
    if (logical.has(1) || logical.has(4)) return { kind: 'string' }
    if (logical.has(12)) return { kind: 'json' }
    if (logical.has(6)) return { kind: 'date' }
    const decimal = logical.maybeStruct(5, 'decimal type')
    if (decimal !== undefined) {
      return { kind: 'decimal', scale: decimal.size(1, 'scale'), precision: decimal.size(2, 'precision') }
    }
    const int = logical.maybeStruct(10, 'integer type')
    if (int !== undefined) {
      const bits = int.number(1, 'bits')
      if (bits !== 8 && bits !== 16 && bits !== 32 && bits !== 64) throw int.damaged(`has ${bits} bits`)
      return { kind: 'int', bits, signed: int.flag(2) ?? true }
    }
    const unit = logical.maybeStruct(8, 'timestamp type')?.struct(2, 'unit')
    if (unit !== undefined) return { kind: 'timestamp', unit: unit.has(1) ? 'ms' : unit.has(2) ? 'us' : 'ns' }
  }
  return readConverted(element)
}

function readConverted(element: Fields): LogicalType | undefined {
  const converted = element.maybeNumber(6, 'converted type')
  for (const bits of [8, 16, 32, 64] as const) {
    if (converted === signedInts[bits]) return { kind: 'int', bits, signed: true }
    if (converted === unsignedInts[bits]) return { kind: 'int', bits, signed: false }
  }
  switch (converted) {
    case 0:
    case 4:
      return { kind: 'string' }
    case 5:
      return { kind: 'decimal', scale: element.maybeSize(7, 'scale') ?? 0, precision: element.size(8, 'precision') }
    case 6:
      return { kind: 'date' }
    case 9:
      return { kind: 'timestamp', unit: 'ms' }
    case 10:
      return { kind: 'timestamp', unit: 'us' }
    case 19:
      return { kind: 'json' }
    default:
      return undefined
  }
}

function readGroup(group: Fields, columns: readonly ParquetColumn[], footer: number): RowGroupInfo {
  const rows = group.size(3, 'number of rows')
  if (rows > maxGroupRows) throw group.damaged(`has a row group of ${rows} rows; at most ${maxGroupRows} are read`)
  const chunks = group.structs(1, 'columns')
  if (chunks.length !== columns.length) {
    throw group.damaged(`has a row group of ${chunks.length} columns instead of ${columns.length}`)
  }
  return { rows, columns: chunks.map((chunk, i) => readChunk(chunk, columns[i]!, rows, footer)) }
}

function readChunk(chunk: Fields, column: ParquetColumn, rows: number, footer: number): ChunkInfo {
  if (chunk.has(1)) throw chunk.damaged(`keeps the column ${column.name} in another file, which is not supported`)
  const metadata = chunk.struct(3, `metadata of the column ${column.name}`)
  const type = metadata.number(1, 'type')
  if (type !== (column.length === undefined ? physical[column.type] : Physical.fixed)) {
    throw metadata.damaged(`has the type ${type}, its schema another`)
  }
  const values = metadata.size(5, 'number of values')
  if (values !== rows) throw metadata.damaged(`has ${values} values in ${rows} rows`)
  const bytes = metadata.size(7, 'compressed size')
  const dataOffset = metadata.size(9, 'offset of data')
  // Some writers put 0 if there is no dictionary.
  const dictionaryOffset = metadata.maybeSize(11, 'offset of the dictionary') || undefined
  const offset = dictionaryOffset === undefined ? dataOffset : Math.min(dictionaryOffset, dataOffset)
  if (offset < 4 || offset + bytes > footer || dataOffset > offset + bytes) {
    throw metadata.damaged(`lies at ${offset} to ${offset + bytes}, outside of the data before ${footer}`)
  }
  const codec = metadata.number(4, 'compression')
  if (!(Object.values(Codec) as number[]).includes(codec)) {
    throw metadata.damaged(`has the compression ${codec}, which is not supported (snappy, gzip and zstd are)`)
  }
  const statistics = metadata.maybeStruct(12, 'statistics')
  const nulls = statistics?.maybeSize(3, 'number of nulls') ?? (column.optional ? undefined : 0)
  if (nulls !== undefined && nulls > rows) throw metadata.damaged(`has ${nulls} nulls in ${rows} rows`)
  const min = readBound(column, statistics?.bytes(6))
  const max = readBound(column, statistics?.bytes(5))
  const distinct = statistics?.maybeSize(4, 'number of distinct values')
  const columnIndex = readExtent(chunk, 6, 'column index', footer)
  const offsetIndex = readExtent(chunk, 4, 'offset index', footer)
  return {
    offset,
    bytes,
    plainBytes: metadata.size(6, 'uncompressed size'),
    values,
    nulls: nulls ?? -1,
    ...(min !== undefined && max !== undefined && { min, max }),
    ...((statistics?.flag(7) === false || statistics?.flag(8) === false) && { shortened: true }),
    ...(distinct !== undefined && { distinct }),
    codec,
    encodings: metadata.list(2, 'encodings').map(Number),
    ...(dictionaryOffset !== undefined && { dictionaryOffset }),
    dataOffset,
    ...(columnIndex !== undefined && { columnIndex }),
    ...(offsetIndex !== undefined && { offsetIndex })
  }
}

function readExtent(chunk: Fields, id: number, name: string, footer: number): Extent | undefined {
  const offset = chunk.maybeSize(id, `offset of the ${name}`)
  const bytes = chunk.maybeSize(id + 1, `length of the ${name}`)
  if (offset === undefined || bytes === undefined) return undefined
  if (offset < 4 || offset + bytes > footer)
    throw chunk.damaged(`has the ${name} at ${offset}, outside of the data before ${footer}`)
  return { offset, bytes }
}

/** Offset of a page, its length including the header, and its rows. */
export interface PageLocation {
  readonly offset: number
  readonly bytes: number
  readonly from: number
  readonly to: number
}

export function readOffsetIndex(read: ReadAt, chunk: ChunkInfo, { offset, bytes }: Extent): PageLocation[] {
  const index = new Fields(
    new ThriftReader(readExactly(read, offset, bytes), offset).struct(),
    'the offset index',
    offset
  )
  const pages = index.structs(1, 'pages').map(page => ({
    offset: page.size(1, 'offset of a page'),
    bytes: page.size(2, 'length of a page'),
    from: page.size(3, 'first row of a page')
  }))
  let end = chunk.dataOffset
  let row = -1
  for (const page of pages) {
    if (page.offset < end || page.bytes === 0 || page.offset + page.bytes > chunk.offset + chunk.bytes) {
      throw index.damaged(`has a page at ${page.offset}, outside of its column or inside another page`)
    }
    if (page.from <= row || page.from >= chunk.values)
      throw index.damaged(`has a page that begins with row ${page.from}`)
    end = page.offset + page.bytes
    row = page.from
  }
  if (pages.length === 0 ? chunk.values > 0 : pages[0]!.from !== 0)
    throw index.damaged('does not begin with the first row')
  return pages.map((page, i) => ({ ...page, to: pages[i + 1]?.from ?? chunk.values }))
}

/** The bounds of pages; undefined for pages without values. */
export function readColumnIndex(
  read: ReadAt,
  column: ParquetColumn,
  pages: readonly PageLocation[],
  { offset, bytes }: Extent
): PageInfo[] {
  const index = new Fields(
    new ThriftReader(readExactly(read, offset, bytes), offset).struct(),
    'the column index',
    offset
  )
  const empty = index.list(1, 'empty pages')
  const lower = index.list(2, 'lower bounds')
  const upper = index.list(3, 'upper bounds')
  if (empty.length !== pages.length || lower.length !== pages.length || upper.length !== pages.length) {
    throw index.damaged(`tells of ${lower.length} pages where there are ${pages.length}`)
  }
  return pages.map(({ from, to }, i) => {
    const [min, max] = [lower[i], upper[i]].map(bound =>
      empty[i] === true || !(bound instanceof Uint8Array) ? undefined : readBound(column, bound)
    )
    return { from, to, ...(min !== undefined && max !== undefined && { min, max }) }
  })
}
