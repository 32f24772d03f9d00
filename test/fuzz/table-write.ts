// Writes as a faulty plugin might pass them: valid ones, and ones with an error in any member. A write that passes the store's check must be
// valid in every bit that the engine reads; every other write is refused with a DbError.
import { isUtf8 } from 'node:buffer'
import { type BytesData, type Column, type ColumnType, isDbError, isValid, type TableWrite } from '../../core/index.ts'
import { runAtOnce } from '../../core/pace.ts'
import { checkColumns } from '../../core/storage/check-columns.ts'
import { decodeRecord, encodeRecord, noSeries } from '../../core/storage/embedded/log/record.ts'
import { checkWrite } from '../../core/storage/schema.ts'
import { createRandom, type Fuzz, type Random } from './random.ts'

const types: readonly ColumnType[] = [
  ...(['Boolean', 'Int8', 'Int16', 'Int32', 'Int64', 'UInt8', 'UInt16', 'UInt32', 'UInt64', 'Float32'] as const),
  ...(['Float64', 'String', 'Binary', 'Json', 'Date', 'TimestampSecond', 'TimestampNanosecond'] as const),
  ...(['Decimal(9, 2)', 'Decimal(30, 4)'] as const)
]
const arrays = [
  ...[Int8Array, Int16Array, Int32Array, Uint8Array, Uint16Array, Uint32Array, BigInt64Array, BigUint64Array],
  ...[Float32Array, Float64Array]
]
const texts = ['', 'a', 'ä', '€', '😀', 'a text of more than twelve bytes']

export const fuzz: Fuzz = (seed, runs) => {
  const random = createRandom(seed)
  let [passed, refused] = [0, 0]
  for (let run = 0; run < runs; run++) {
    const write = bend(random, makeWrite(random))
    try {
      if (tryWrite(write)) passed++
      else refused++
    } catch (error) {
      const broken = `run ${run}: ${error instanceof Error ? error.stack : error}\n${print(write)}`
      return { runs: run + 1, summary: 'broken', broken }
    }
  }
  return { runs, summary: `${passed} writes passed, ${refused} were refused` }
}

/** False where it is refused. Throws where it is refused without a word, or passes though it should not. */
function tryWrite(write: TableWrite): boolean {
  try {
    runAtOnce(checkColumns('fuzz', write))
    checkWrite(write)
  } catch (error) {
    if (isDbError(error)) return false
    throw error
  }
  for (const column of write.columns) requireSound(column, write.rows)
  requireLogged(write)
  return true
}

/** The same rules, said once more and row by row. */
function requireSound({ name, type, data }: Column, rows: number): void {
  const isText = type === 'String' || type === 'Json'
  for (let row = 0; row < rows; row++) {
    if (data.kind === 'fixed') {
      const wide = type.startsWith('Decimal(30') ? 2 : 1
      if (data.values[row * wide + wide - 1] === undefined) throw new Error(`${name}: row ${row} has no value`)
    } else if (data.kind === 'bytes') requireText(name, data, row, isText)
    else if (isValid(data.valid, row)) requireText(name, data.dictionary, data.codes[row]!, isText)
  }
}

function requireText(name: string, { offsets, bytes }: BytesData, row: number, isText: boolean): void {
  const [from, to] = [offsets[row], offsets[row + 1]]
  if (from === undefined || to === undefined || from > to || to > bytes.length) {
    throw new Error(`${name}: text ${row} lies at ${from} to ${to} of ${bytes.length} bytes`)
  }
  if (isText && !isUtf8(bytes.subarray(from, to))) throw new Error(`${name}: text ${row} is not UTF-8`)
}

/** What passes goes into the log and comes out of it. */
function requireLogged({ columns, rows, op = 'put' }: TableWrite): void {
  const stored = columns.map(({ data }, id) => ({ id, data }))
  const part = { table: 1, op, rows, tsids: undefined, series: noSeries, columns: stored }
  const payload = Buffer.concat(encodeRecord([part]))
  const [found, ...more] = [...decodeRecord(payload, (_, column) => columns[column]?.type)]
  if (found === undefined || more.length > 0 || found.rows !== rows || found.columns.length !== columns.length) {
    throw new Error('the log record holds something else')
  }
}

function makeWrite(random: Random): TableWrite {
  const rows = random.below(20)
  const fields = Array.from({ length: random.below(5) }, (_, i) =>
    makeColumn(random, `c${i}`, random.pick(types), rows)
  )
  const time = makeColumn(random, 'at', 'TimestampMillisecond', rows)
  const { valid: _, ...data } = time.data
  const columns = [...fields, { ...time, semantic: 'timestamp' as const, data: data as Column['data'] }]
  return { table: 't', rows, columns, ...(random.once(4) && { options: { append_mode: true } }) }
}

function makeColumn(random: Random, name: string, type: ColumnType, rows: number): Column {
  const valid = random.once(3) ? { valid: Uint8Array.from({ length: (rows + 7) >> 3 }, () => random.below(256)) } : {}
  const semantic = random.once(4) ? 'tag' : 'field'
  if (type === 'String' || type === 'Json' || type === 'Binary') {
    if (random.once(3)) {
      const dictionary = makeBytes(random, 1 + random.below(4))
      const codes = Uint32Array.from({ length: rows }, () => random.below(dictionary.offsets.length - 1))
      return { name, type, semantic, data: { kind: 'dictionary', codes, dictionary, ...valid } }
    }
    return { name, type, semantic, data: { ...makeBytes(random, rows), ...valid } }
  }
  const length = type.startsWith('Decimal(30') ? rows * 2 : rows
  const values = new (arrayOf(type))(length)
  return { name, type, semantic, data: { kind: 'fixed', values, ...valid } }
}

function arrayOf(type: ColumnType): (typeof arrays)[number] {
  if (type === 'Boolean') return Uint8Array
  if (type === 'Date') return Int32Array
  if (type === 'UInt64') return BigUint64Array
  return arrays.find(({ name }) => name === `${type.replace('UInt', 'Uint')}Array`) ?? BigInt64Array
}

function makeBytes(random: Random, rows: number): BytesData {
  const parts = Array.from({ length: rows }, () => Buffer.from(random.pick(texts)))
  const before = Buffer.from('<<'.slice(random.below(3)))
  const offsets = new Uint32Array(rows + 1).fill(before.length)
  for (const [i, part] of parts.entries()) offsets[i + 1] = offsets[i]! + part.length
  return { kind: 'bytes', offsets, bytes: Buffer.concat([before, ...parts, Buffer.from('>')]) }
}

const junk: readonly unknown[] = [
  ...[undefined, null, 0, -1, 1.5, Number.NaN, 2 ** 40, '', 'x', true, [], [1, 2], {}],
  ...[
    new Uint8Array(3),
    new Uint32Array([0, 9]),
    new Float32Array(5),
    new BigInt64Array(2),
    new DataView(new ArrayBuffer(8))
  ],
  ...['Decimal(0, 0)', 'Decimal(99, 1)', 'timestamp', 'delete', 'fixed', 'bytes', 'dictionary']
]

/** Something in it replaced, where it lies; nothing one time in three. */
function bend(random: Random, write: TableWrite): TableWrite {
  const bent = { ...write, columns: write.columns.map(column => ({ ...column, data: { ...column.data } })) }
  for (let changes = random.below(3); changes > 0; changes--) {
    let place: object = bent
    while (true) {
      if (ArrayBuffer.isView(place)) {
        const view = place as Uint8Array
        if (view.length > 0)
          view[random.below(view.length)] = (typeof view[0] === 'bigint' ? 7n : random.below(300)) as never
        break
      }
      const key = random.pick([...Object.keys(place), 'valid', 'op', 'options', 'index'])
      const inner = (place as Record<string, unknown>)[key]
      if (typeof inner === 'object' && inner !== null && !random.once(3)) place = inner
      else {
        ;(place as Record<string, unknown>)[key] = random.pick(junk)
        break
      }
    }
  }
  return bent
}

function print(write: TableWrite): string {
  return JSON.stringify(write, (_, value) => (typeof value === 'bigint' ? `${value}n` : value))
}
