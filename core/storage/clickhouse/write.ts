// Rows on their way into the cluster: one Arrow stream a table, each with a token that makes its own retries harmless.
import { randomUUID } from 'node:crypto'
import { DbError } from '../../errors.ts'
import type { BytesData, Column, ColumnData } from '../../model/batch.ts'
import { bitmap, clearBit, isValid } from '../../model/batch.ts'
import type { SeriesLabel } from '../../model/series.ts'
import type { Table } from '../../model/table.ts'
import { elementsPerRow, fixedArray, isBytesType } from '../../model/types.ts'
import type { ResolvedSeries, ResolvedTags, ResolvedWrite } from '../engine.ts'
import type { FoundSeries } from '../found-series.ts'
import { isLogical, mergesFields } from '../logical.ts'
import { arrowStream, type SentColumn } from './arrow.ts'
import type { ClusterCatalog, LogicalColumn } from './catalog.ts'
import type { Connection } from './connection.ts'
import { besideName, deletedColumn, type Location, onCluster, tableName, versionColumn } from './definition.ts'
import { cancelled } from './errors.ts'
import { quoteName, quoteText, storedType } from './names.ts'
import type { RepeatablePart, Repeats } from './repeats.ts'
import type { KnownSeries, SeriesEntry } from './series.ts'
import type { Versions } from './versions.ts'

interface WriteDependencies {
  readonly connection: Connection
  readonly catalog: ClusterCatalog
  readonly series: KnownSeries
  readonly versions: Versions
  readonly repeats: Repeats
  readonly location: Location
  readonly insertSettings: Readonly<Record<string, string | number>>
}

/** One statement that stores or removes rows of one table. */
interface Part extends RepeatablePart {
  readonly table: Table
}

/** A series that may be new to the cluster. */
interface NewSeries {
  readonly physicalTable: Table
  readonly entry: Pick<SeriesEntry, 'table' | 'labels' | 'tsid' | 'isStored'>
}

/** Stores all writes; those of one table one after the other. Resolves with the affected rows. */
export async function writeAll(
  parts: WriteDependencies,
  writes: readonly (ResolvedWrite | ResolvedSeries)[],
  signal: AbortSignal
): Promise<number> {
  if (signal.aborted) throw cancelled(signal)
  const introduced: NewSeries[] = []
  const steps = writes.flatMap(write =>
    'table' in write ? rowParts(parts, write, introduced) : sampleParts(parts, write, introduced)
  )
  await storeSeries(parts, introduced)
  await storeParts(parts, steps)
  return writes.reduce((sum, { rows }) => sum + rows, 0)
}

/** The rows of tables at the same time; throws when all that began has ended. */
async function storeParts(parts: WriteDependencies, steps: readonly Part[]): Promise<void> {
  const { catalog, repeats } = parts
  const attempt = await repeats.begin(steps)
  const numbered = steps.map((part, i) => ({ part, token: attempt.tokens[i]! }))
  const ended = await Promise.allSettled(
    Array.from(Map.groupBy(numbered, ({ part }) => part.target).values(), async group => {
      for (const { part, token } of group) {
        const isRemoval = part.op === 'delete' && mergesFields(part.table)
        await (isRemoval ? removeRows(parts, part) : insertPart(parts, part, token))
        catalog.wrote(part.table, part.rows)
      }
    })
  )
  const failed = ended.find(each => each.status === 'rejected')
  if (failed === undefined) return repeats.succeed(attempt)
  // Also where the last answer was a refusal: a try before it may have been applied.
  await repeats.fail(steps, attempt)
  throw failed.reason
}

async function insertPart(parts: WriteDependencies, { target, rows, columns, op }: Part, token: string): Promise<void> {
  if (rows === 0) return
  const { connection, insertSettings } = parts
  const own = [versionsOf(parts.versions, rows), ...(op === 'delete' ? [deletedMarks(rows)] : [])]
  const sent = [...columns, ...own]
  const names = sent.map(({ name }) => quoteName(name)).join(', ')
  const data = await arrowStream(sent, rows)
  await connection.insert(
    `INSERT INTO ${target} (${names}) FORMAT ArrowStream`,
    data,
    // An insert that has begun is finished, even if the client leaves.
    { settings: insertSettings, token }
  )
}

function targetOf({ location }: WriteDependencies, { database, name }: Table): string {
  return tableName(location, database, name)
}

function versionsOf(versions: Versions, rows: number): SentColumn {
  const first = versions.take(rows)
  const values = new BigUint64Array(rows)
  const words = new Uint32Array(values.buffer)
  let [low, high] = [Number(first & 0xffff_ffffn), Number(first >> 32n)]
  for (let i = 0; i < rows; i++) {
    words[2 * i] = low
    words[2 * i + 1] = high
    low = (low + 1) >>> 0
    if (low === 0) high++
  }
  return { name: versionColumn, type: 'UInt64', data: { kind: 'fixed', values } }
}

function deletedMarks(rows: number): SentColumn {
  return { name: deletedColumn, type: 'UInt8', data: { kind: 'fixed', values: new Uint8Array(rows).fill(1) } }
}

/** Fields that merge one by one know no mark of a delete: the rows themselves go. */
async function removeRows({ connection, location }: WriteDependencies, { table, columns, rows }: Part): Promise<void> {
  if (rows === 0) return
  const name = tableName(location, table.database, table.name)
  const local = location.cluster === '' ? name : besideName(location, table.database, table.name, 'local')
  const data = Buffer.concat(await arrowStream(columns, rows))
  // A null equals no other one there: of what takes nulls whether it is one and its text are compared.
  const keys = columns
    .map(({ name }) => {
      const quoted = quoteName(name)
      const isKey = typeOf(table, name).includes('Nullable(')
      return isKey ? `isNull(${quoted}), ifNull(toString(${quoted}), '')` : quoted
    })
    .join(', ')
  const structure = columns.map(column => `${quoteName(column.name)} ${typeOf(table, column.name)}`).join(', ')
  const literal = `format(ArrowStream, ${quoteText(structure)}, unhex('${data.toString('hex')}'))`
  await connection.command(
    `DELETE FROM ${local}${onCluster(location)} WHERE (${keys}) IN (SELECT ${keys} FROM ${literal})`,
    {
      settings: {
        lightweight_deletes_sync: 2,
        allow_nondeterministic_mutations: 1,
        max_query_size: data.length * 2 + 65_536
      }
    }
  )
}

function typeOf({ columns, timeIndex }: Table, physical: string): string {
  const column = columns.find(each => each.physical === physical)
  if (column !== undefined) return storedType(column.type, column.semantic)
  return physical === 'time' ? storedType(timeIndex.type, 'timestamp') : 'UInt64'
}

/** Rows of one write under the names their columns have in the cluster. */
function rowParts(parts: WriteDependencies, write: ResolvedWrite, introduced: NewSeries[]): Part[] {
  const { catalog } = parts
  const { rows, op } = write
  const table = catalog.current(write.table)
  const columns =
    write.tags === undefined ? write.columns : [...write.columns, ...tagColumns(parts, table, write.tags, rows)]
  if (isLogical(table)) return [logicalPart(parts, table, columns, rows, op, introduced)]
  const tags = table.tags.filter(tag => op === 'delete' && !columns.some(({ name }) => name === tag.name))
  const wanted = op === 'delete' ? columns.filter(({ semantic }) => semantic !== 'field') : columns
  const sent = [
    ...wanted.flatMap(column => {
      const name = physicalOf(write.table, table, column)
      return name === undefined ? [] : [{ name, type: column.type, data: column.data }]
    }),
    ...tags.map(({ physical, type }) => ({ name: physical, type, data: noValues(type, rows) }))
  ]
  return [{ target: targetOf(parts, table), table, rows, columns: sent, op }]
}

/**
 * The name of a column in the cluster; what was resolved before a change of type goes to the former one. Undefined for one that was
 * dropped meanwhile.
 */
function physicalOf(then: Table, now: Table, { name, type }: Column): string | undefined {
  const known = then.columns.find(column => column.name === name)
  const column = now.columns.find(each => each.name === name)
  if (column?.type === type && (known === undefined || known.id === column.id)) return column.physical
  const former = column?.was?.find(({ id }) => id === known?.id)
  if (former !== undefined || known !== undefined) return former?.physical
  throw new DbError('RequestOutdated', `column ${name} of table ${now.name} was changed meanwhile`)
}

/** A column of nulls. */
function noValues(type: Column['type'], rows: number): ColumnData {
  const valid = bitmap(rows, false)
  if (isBytesType(type)) return { kind: 'bytes', offsets: new Uint32Array(rows + 1), bytes: new Uint8Array(), valid }
  return { kind: 'fixed', values: new (fixedArray(type))(rows * elementsPerRow(type)), valid }
}

function requireCurrent(series: KnownSeries, numbers: FoundSeries): void {
  if (!series.isCurrent(numbers))
    throw new DbError('RequestOutdated', 'a table was changed: series must be found again')
}

/** Tags of rows that came as keys: one value a series, and a code a row. */
function tagColumns(
  { series }: WriteDependencies,
  table: Table,
  { numbers, series: of }: ResolvedTags,
  rows: number
): Column[] {
  const found = numbers as FoundSeries
  requireCurrent(series, found)
  const entries = Array.from(found.tsids, number => series.entry(number))
  return table.tags.flatMap((tag): Column[] => {
    const values = entries.map(({ labels }) => labels.find(({ name }) => name === tag.name)?.value)
    if (values.every(value => value === undefined)) return []
    const dictionary = bytesOf(values)
    const codes = of.slice(0, rows)
    const valid = bitmap(rows, true)
    for (let i = 0; i < rows; i++) if (values[codes[i]!] === undefined) clearBit(valid, i)
    return [{ name: tag.name, type: tag.type, semantic: 'tag', data: { kind: 'dictionary', codes, dictionary, valid } }]
  })
}

function bytesOf(values: readonly (Uint8Array | undefined)[]): BytesData {
  const offsets = new Uint32Array(values.length + 1)
  for (let i = 0; i < values.length; i++) offsets[i + 1] = offsets[i]! + (values[i]?.length ?? 0)
  return { kind: 'bytes', offsets, bytes: Buffer.concat(values.map(value => value ?? new Uint8Array())) }
}

/** Rows of a logical table: its number, that of the series of each, and the values. */
function logicalPart(
  parts: WriteDependencies,
  table: Table,
  columns: readonly Column[],
  rows: number,
  op: 'put' | 'delete',
  introduced: NewSeries[]
): Part {
  const { catalog } = parts
  const physicalTable = catalog.physicalTableOf(table)
  const tags = columns.filter(({ semantic }) => semantic === 'tag')
  const texts = tags.map(tag => textsOf(tag, rows))
  const tsids = new BigUint64Array(rows)
  const known = new Map<string, bigint>()
  for (let i = 0; i < rows; i++) {
    const values = texts.map(each => each(i))
    const key = values.map(value => (value === undefined ? '-' : `${value.length}:${value}`)).join('')
    let tsid = known.get(key)
    if (tsid === undefined) {
      const labels = tags.flatMap(({ name }, t): SeriesLabel[] => {
        const value = values[t]
        return value === undefined ? [] : [{ name, value: Buffer.from(value) }]
      })
      tsid = parts.series.tsid(table, labels)
      known.set(key, tsid)
      introduced.push({ physicalTable, entry: { table, labels, tsid, isStored: false } })
    }
    tsids[i] = tsid
  }
  const time = columns.find(({ semantic }) => semantic === 'timestamp')!
  const fields = op === 'delete' ? [] : columns.filter(({ semantic }) => semantic === 'field')
  const sent: SentColumn[] = [
    { name: 'table', type: 'UInt64', data: { kind: 'fixed', values: new BigUint64Array(rows).fill(BigInt(table.id)) } },
    { name: 'tsid', type: 'UInt64', data: { kind: 'fixed', values: tsids } },
    { name: 'time', type: time.type, data: time.data },
    ...fields.map(({ name, type, data }) => ({ name: sampleOf(table, name), type, data }))
  ]
  return { target: targetOf(parts, physicalTable), table: physicalTable, rows, columns: sent, op }
}

function sampleOf(table: Table, name: string): string {
  const column = table.columns.find(each => each.name === name) as LogicalColumn | undefined
  if (column?.sample === undefined)
    throw new DbError('RequestOutdated', `column ${name} of table ${table.name} is gone`)
  return column.sample
}

/** The value of a tag of each row as text; undefined where it has none. */
function textsOf({ data }: Column, rows: number): (row: number) => string | undefined {
  const isNull = (i: number) => !isValid(data.valid, i)
  const text = ({ bytes, offsets }: BytesData, i: number) =>
    Buffer.from(bytes.buffer, bytes.byteOffset + offsets[i]!, offsets[i + 1]! - offsets[i]!).toString()
  if (data.kind === 'bytes') return i => (i >= rows || isNull(i) ? undefined : text(data, i))
  if (data.kind === 'dictionary')
    return i => (i >= rows || isNull(i) ? undefined : text(data.dictionary, data.codes[i]!))
  return i => (i >= rows || isNull(i) ? undefined : String(data.values[i]))
}

/** Samples by series, all of a physical table and a column of it together. */
function sampleParts(parts: WriteDependencies, write: ResolvedSeries, introduced: NewSeries[]): Part[] {
  const { series, catalog } = parts
  const numbers = write.numbers as FoundSeries
  requireCurrent(series, numbers)
  const { keys, tsids } = numbers
  const targetOf = createTargets(parts)
  /** Of each key that has samples: where they go. */
  const targets = new Array<Target | undefined>(keys.count)
  for (let i = 0; i < write.rows; i++) {
    const key = write.series[i]!
    let target = targets[key]
    if (target === undefined) {
      const entry = series.entry(tsids[key]!)
      target = targets[key] = targetOf(entry)
      if (isLogical(target.table) && !entry.isStored)
        introduced.push({ physicalTable: catalog.physicalTableOf(target.table), entry })
    }
    target.count++
  }
  for (let i = 0; i < write.rows; i++) {
    const target = targets[write.series[i]!]!
    target.rows ??= new Uint32Array(target.count)
    target.rows[target.filled++] = i
  }
  return Array.from(new Set(targets.filter(target => target !== undefined)), target =>
    samplePart(parts, target, write, numbers)
  )
}

/** Samples that go to the same column of a table of the cluster. */
interface Target {
  readonly table: Table
  readonly value: string
  count: number
  /** Of the write. */
  rows: Uint32Array | undefined
  filled: number
}

function createTargets({ catalog }: WriteDependencies): (entry: SeriesEntry) => Target {
  const byName = new Map<string, Target>()
  const byTable = new Map<Table, Map<string, Target>>()
  const find = ({ table, value }: SeriesEntry): Target => {
    const now = catalog.current(table)
    const name = isLogical(now)
      ? `${now.options.physical_table} ${now.database} ${sampleOf(now, value)}`
      : `#${now.id} ${value}`
    const target = byName.get(name) ?? { table: now, value, count: 0, rows: undefined, filled: 0 }
    byName.set(name, target)
    const targets = byTable.get(table) ?? new Map<string, Target>()
    byTable.set(table, targets.set(value, target))
    return target
  }
  return entry => byTable.get(entry.table)?.get(entry.value) ?? find(entry)
}

function samplePart(
  parts: WriteDependencies,
  { table, value, count, rows: of = new Uint32Array() }: Target,
  write: ResolvedSeries,
  { tsids }: FoundSeries
): Part {
  const { series, catalog } = parts
  const times = new BigInt64Array(count)
  const values = new Float64Array(count)
  copyWords(write.times, of, times)
  // Bits of NaN mean something to some protocols: numbers are copied as they are.
  copyWords(write.values, of, values)
  if (isLogical(table)) {
    const [tables, numbers] = [new BigUint64Array(count), new BigUint64Array(count)]
    const [tableWords, numberWords] = [new Uint32Array(tables.buffer), new Uint32Array(numbers.buffer)]
    for (let n = 0; n < count; n++) {
      const entry = series.entry(tsids[write.series[of[n]!]!]!)
      const { id } = entry.table
      tableWords[2 * n] = id
      tableWords[2 * n + 1] = id / 2 ** 32
      numberWords[2 * n] = entry.low
      numberWords[2 * n + 1] = entry.high
    }
    const columns: SentColumn[] = [
      { name: 'table', type: 'UInt64', data: { kind: 'fixed', values: tables } },
      { name: 'tsid', type: 'UInt64', data: { kind: 'fixed', values: numbers } },
      { name: 'time', type: 'TimestampMillisecond', data: { kind: 'fixed', values: times } },
      { name: sampleOf(table, value), type: 'Float64', data: { kind: 'fixed', values } }
    ]
    const physicalTable = catalog.physicalTableOf(table)
    return { target: targetOf(parts, physicalTable), table: physicalTable, rows: count, columns, op: 'put' }
  }
  const entries = Array.from(of, i => series.entry(tsids[write.series[i]!]!))
  const codes = Uint32Array.from(entries, (_, i) => i)
  const tags = table.tags.flatMap((tag): SentColumn[] => {
    const texts = entries.map(({ labels }) => labels.find(({ name }) => name === tag.name)?.value)
    const valid = bitmap(count, true)
    for (let i = 0; i < count; i++) if (texts[i] === undefined) clearBit(valid, i)
    return [
      { name: tag.physical, type: tag.type, data: { kind: 'dictionary', codes, dictionary: bytesOf(texts), valid } }
    ]
  })
  const column = table.columns.find(({ name }) => name === value)!
  const columns: SentColumn[] = [
    ...tags,
    { name: table.timeIndex.physical, type: table.timeIndex.type, data: { kind: 'fixed', values: times } },
    { name: column.physical, type: 'Float64', data: { kind: 'fixed', values } }
  ]
  return { target: targetOf(parts, table), table, rows: count, columns, op: 'put' }
}

/** Values of 64 bits of some rows, bit by bit. */
function copyWords(from: BigInt64Array | Float64Array, rows: Uint32Array, to: BigInt64Array | Float64Array): void {
  const source = new Uint32Array(from.buffer, from.byteOffset, from.length * 2)
  const target = new Uint32Array(to.buffer)
  for (let n = 0; n < rows.length; n++) {
    target[2 * n] = source[2 * rows[n]!]!
    target[2 * n + 1] = source[2 * rows[n]! + 1]!
  }
}

/** Series are inserted before their samples, because queries join both. */
async function storeSeries(parts: WriteDependencies, introduced: readonly NewSeries[]): Promise<void> {
  const { connection, location, series, insertSettings } = parts
  const missing = new Map<string, Map<bigint, NewSeries>>()
  for (const each of introduced) {
    const { physicalTable, entry } = each
    entry.isStored = series.hasTsid(physicalTable, entry.tsid)
    if (entry.isStored) continue
    const name = besideName(location, physicalTable.database, physicalTable.name, 'series')
    const group = missing.get(name) ?? new Map<bigint, NewSeries>()
    group.set(entry.tsid, each)
    missing.set(name, group)
  }
  for (const [name, group] of missing) {
    const all = [...group.values()]
    const lines = all.map(({ entry: { table, tsid, labels } }) =>
      JSON.stringify({
        table: String(table.id),
        tsid: String(tsid),
        metric: table.name,
        labels: Object.fromEntries(labels.map(({ name, value }) => [name, Buffer.from(value).toString()])),
        first_seen: new Date().toISOString().slice(0, -1)
      })
    )
    await connection.insert(`INSERT INTO ${name} FORMAT JSONEachRow`, [Buffer.from(lines.join('\n'))], {
      settings: insertSettings,
      token: randomUUID()
    })
    for (const { physicalTable, entry } of all) {
      series.confirm(physicalTable, entry.tsid)
      entry.isStored = true
    }
  }
}
