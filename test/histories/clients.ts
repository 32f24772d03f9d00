// The concurrent clients of a history: writers that extend schemas, a DDL client, maintenance, readers.
import { isDbError } from '../../core/errors.ts'
import type { Column, TableWrite } from '../../core/model/batch.ts'
import type { SeriesLabel, SeriesWrite } from '../../core/model/series.ts'
import type { ColumnDefinition, Semantic, Table, TableOptions } from '../../core/model/table.ts'
import type { ColumnType } from '../../core/model/types.ts'
import type { Condition } from '../../core/storage/engine.ts'
import { type Cell, makeColumn } from '../contract/engine/rows.ts'
import type { Random } from '../fuzz/random.ts'
import type { Ledger } from './ledger.ts'
import { cellText, countBounds, defaultText, idColumn, type ModelTable, problemOf, type TableKind } from './model.ts'
import { context, countBySql, keyOf, readBySeries, readBySql, type Session, valueColumn } from './session.ts'

export interface Workplace {
  readonly session: Session
  readonly ledger: Ledger
  readonly random: Random
  /** True once no further step is to begin. */
  isOver(): boolean
  step(what: string): void
}

const writers = 4
const kinds: Readonly<Record<string, TableKind>> = {
  rows: 'last_row',
  fields: 'last_non_null',
  log: 'append',
  metric0: 'logical',
  metric1: 'logical',
  sample0: 'series',
  sample1: 'series',
  sample2: 'series'
}

/** The tables of an epoch that writers share. */
export function tablesOf(ledger: Ledger): readonly ModelTable[] {
  return Object.entries(kinds).map(([name, kind]) => ledger.table(`e${ledger.epoch}_${name}`, kind))
}

function optionsOf(kind: TableKind, epoch: number): TableOptions {
  if (kind === 'append') return { append_mode: true }
  if (kind === 'logical') return { physical_table: `e${epoch}_physical` }
  return kind === 'last_non_null' ? { merge_mode: 'last_non_null' } : {}
}

/** Works until it is over; resolves when every answer has come. Throws for what no client should meet. */
export async function workTogether(place: Workplace): Promise<void> {
  const run = async (work: () => Promise<void>) => {
    while (!place.isOver()) await work()
  }
  const clients = [
    ...Array.from({ length: writers }, (_, i) => writer(place, i)),
    () => changeSchema(place),
    () => maintain(place),
    () => useOwnTable(place),
    () => readSql(place),
    () => readSql(place),
    () => readSeries(place)
  ]
  const ended = await Promise.allSettled(clients.map(run))
  for (const each of ended) if (each.status === 'rejected') throw each.reason
}

/** Milliseconds in which anything may happen. */
function pause(random: Random, most: number): Promise<void> {
  return new Promise(resolve => setTimeout(resolve, random.below(most)))
}

/** Keys a writer has written in a table, with what its rows must be given again. */
interface Row {
  readonly time: bigint
  readonly tags: readonly (readonly [name: string, value: string])[]
}

const firstTime = 1_750_000_000_000n

function writer(place: Workplace, number: number): () => Promise<void> {
  const { ledger, random, session } = place
  const own = new Map<string, Row[]>()
  // Times that no other writer and no earlier run of this one has used.
  let next = ledger.clock * writers + number
  const newRow = (kind: TableKind): Row => {
    next += writers
    // Some are late, so that parts overlap in time.
    const time = firstTime + BigInt(next) * 10n - (random.once(5) ? 1_000_000n : 0n)
    if (kind === 'append') return { time, tags: [] }
    const more = Array.from({ length: random.below(3) }, () => `g${random.below(6)}`)
    const tags = [...new Set(more)].map(name => [name, `value ${random.below(3)}`] as const)
    return { time, tags: [['writer', `w${number}`], ...tags] }
  }
  const pickRows = (table: ModelTable, isDelete: boolean): Row[] => {
    const rows = own.get(table.name) ?? []
    own.set(table.name, rows)
    const known = rows.filter(row => !table.ignored.has(rowKey(table.kind, row)))
    const isAgain = table.kind !== 'append' && known.length > 0 && (isDelete || random.once(6))
    if (isAgain) return [random.pick(known)]
    const made = Array.from({ length: 1 + random.below(3) }, () => newRow(table.kind))
    rows.push(...made)
    return made
  }
  const write = async (tables: readonly ModelTable[]) => {
    const id = ledger.nextId()
    const parts = tables.map(table => {
      const isDelete = table.kind !== 'append' && table.kind !== 'series' && random.once(12)
      const rows = pickRows(table, isDelete && (own.get(table.name)?.length ?? 0) > 0)
      const op = isDelete && table.rows.has(rowKey(table.kind, rows[0]!)) ? ('delete' as const) : ('put' as const)
      return { table, rows, op, columns: op === 'delete' ? [] : pickColumns(place, table) }
    })
    const written = parts.flatMap(({ table, rows, op, columns }) =>
      rows.map(row => ({
        table: table.name,
        key: rowKey(table.kind, row),
        op,
        columns: op === 'delete' ? [] : [idColumn, ...columns.map(({ name }) => name)]
      }))
    )
    const writes = parts.map(({ table, rows, op, columns }) =>
      table.kind === 'series'
        ? seriesWrite(table, id, rows, ledger.epoch)
        : tableWrite(table, id, rows, { op, columns, options: optionsOf(table.kind, ledger.epoch) })
    )
    try {
      await ledger.write(id, written, () => session.store.write(context, writes))
    } catch (error) {
      if (!isRefusal(error)) throw error
    }
  }
  return async () => {
    const tables = tablesOf(ledger)
    const [first, second] = [random.pick(tables), random.pick(tables)]
    await write(first === second || random.once(2) ? [first] : [first, second])
    place.step('write')
    if (random.once(4)) await pause(random, 4)
  }
}

function rowKey(kind: TableKind, { time, tags }: Row): string {
  return keyOf(kind, String(time), tags)
}

/** What a client may be told when a table is changed while it writes, or memory is full. */
function isRefusal(error: unknown): boolean {
  if (!isDbError(error)) return false
  return error.code === 'StorageUnavailable' || /^Column datatype mismatch/.test(error.message)
}

interface Named {
  readonly name: string
  readonly type: ColumnType
}

const types: Readonly<Record<string, ColumnType>> = { i: 'Int64', f: 'Float64', s: 'String', b: 'Boolean', m: 'Int64' }

/** Some columns the table has, and now and then a new one. */
function pickColumns({ session, random }: Workplace, table: ModelTable): Named[] {
  if (table.kind === 'series') return []
  const found = session.store.table('public', table.name)
  const fields = found?.columns.filter(({ name, semantic }) => semantic === 'field' && name !== idColumn) ?? []
  const picked = fields.filter(() => random.once(4)).map(({ name, type }) => ({ name, type }))
  if (fields.length >= 60 || !random.once(3)) return picked
  const letters = table.kind === 'logical' ? 'ifsb' : 'ifsbm'
  const letter = letters[random.below(letters.length)]!
  const fresh = { name: `${letter}${random.below(200)}`, type: types[letter]! }
  return fields.some(({ name }) => name === fresh.name) ? picked : [...picked, fresh]
}

interface Written {
  readonly op: 'put' | 'delete'
  readonly columns: readonly Named[]
  readonly options: TableOptions
}

function tableWrite(
  table: ModelTable,
  id: number,
  rows: readonly Row[],
  { op, columns, options }: Written
): TableWrite {
  const tags = new Set(rows.flatMap(row => row.tags.map(([name]) => name)))
  const tagColumns = Array.from(tags, name =>
    column(
      name,
      'String',
      'tag',
      rows.map(row => row.tags.find(([own]) => own === name)?.[1] ?? null)
    )
  )
  const time = column(
    'at',
    'TimestampMillisecond',
    'timestamp',
    rows.map(row => row.time)
  )
  const given = op === 'delete' ? [] : [{ name: idColumn, type: 'Int64' as const }, ...columns]
  const fields = given.map(({ name, type }) =>
    column(
      name,
      type,
      'field',
      rows.map(row => cellOf(type, cellText(id, rowKey(table.kind, row), name)))
    )
  )
  return { table: table.name, rows: rows.length, columns: [...tagColumns, time, ...fields], options, op }
}

function column(name: string, type: ColumnType, semantic: Semantic, cells: readonly Cell[]): Column {
  return makeColumn({ name, type, semantic, nullable: true }, cells)
}

function cellOf(type: ColumnType, text: string): Cell {
  if (type === 'Int64') return BigInt(text)
  if (type === 'Boolean') return text === 'true'
  return type === 'Float64' ? Number(text) : text
}

/** Samples as remote write brings them: the same key is the same series. */
function seriesWrite(table: ModelTable, id: number, rows: readonly Row[], epoch: number): SeriesWrite {
  const keys = rows.map(({ tags }) => Buffer.from(JSON.stringify([table.name, ...tags.toSorted()])))
  const ends = Uint32Array.from(keys.keys(), i => keys.slice(0, i + 1).reduce((sum, key) => sum + key.length, 0))
  const starts = Uint32Array.from(ends, (end, i) => end - keys[i]!.length)
  const labels = (i: number): SeriesLabel[] =>
    rows[i]!.tags.map(([name, value]) => ({ name, value: Buffer.from(value) }))
  return {
    kind: 'series',
    keys: { count: keys.length, bytes: Buffer.concat(keys), starts, ends },
    name: i => ({ table: table.name, labels: labels(i) }),
    samples: rows.length,
    series: Uint32Array.from(rows.keys()),
    times: BigInt64Array.from(rows, ({ time }) => time),
    values: new Float64Array(rows.length).fill(id),
    timeColumn: 'at',
    valueColumn,
    physicalTable: `e${epoch}_samples`
  }
}

async function changeSchema({ session, ledger, random, step }: Workplace): Promise<void> {
  await pause(random, 60)
  const { store } = session
  const model = random.pick(tablesOf(ledger))
  const table = store.table('public', model.name)
  if (table === undefined || model.kind === 'series') return
  const fields = table.columns.filter(({ name, semantic }) => semantic === 'field' && /^[ifsb]\d/.test(name))
  const change = (kind: 'drop_column' | 'truncate' | 'add_default' | 'modify', column: string, wanted: TableChange) =>
    ledger.change({ kind, table: model.name, column }, () => store.changeTable(context, table, wanted))
  const what = random.below(10)
  if (what < 4 && fields.length > 0) {
    const { name } = random.pick(fields)
    await change('drop_column', name, { kind: 'drop_column', name })
  } else if (what < 7 && model.kind !== 'logical') {
    const name = `d${random.below(1_000)}`
    if (table.columns.some(column => column.name === name)) return
    const column: ColumnDefinition = { name, type: 'Int64', semantic: 'field', nullable: true, initial: defaultText }
    await change('add_default', name, { kind: 'add_columns', columns: [column] })
  } else if (what < 9 && model.kind !== 'logical') {
    const before = table.columns.find(({ name, type }) => name.startsWith('m') && type === 'Int64')
    if (before === undefined) return
    const { name, semantic, nullable } = before
    const definition = { name, type: 'String', semantic, nullable } as const
    await change('modify', name, { kind: 'modify_column', name, definition })
  } else if (random.once(3) && model.kind !== 'logical') await change('truncate', '', { kind: 'truncate' })
  step('change')
}

type TableChange = Parameters<Session['store']['changeTable']>[2]

async function maintain({ session, ledger, random, step }: Workplace): Promise<void> {
  await pause(random, 120)
  const table = session.store.table('public', random.pick(tablesOf(ledger)).name)
  const only = table !== undefined && random.once(2) && { table }
  await session.store.maintain(context, { kind: random.once(4) ? 'compact' : 'flush', ...only })
  step('upkeep')
}

/** Creates a table, fills, reads and drops it; no other client uses it. */
async function useOwnTable({ session, random, step }: Workplace): Promise<void> {
  await pause(random, 80)
  const { store } = session
  const name = `own${random.below(3)}`
  // A kill between the renaming and the drop leaves the other name behind.
  for (const left of [name, `${name}x`]) {
    const before = store.table('public', left)
    if (before !== undefined) await store.dropTable(context, before)
  }
  const rows = Array.from({ length: 1 + random.below(20) }, (_, i) => ({ time: BigInt(i), tags: [] }))
  const model = { name, kind: 'append' } as ModelTable
  await store.write(context, [tableWrite(model, 1, rows, { op: 'put', columns: [], options: { append_mode: true } })])
  if (random.once(3)) await store.maintain(context, { kind: 'flush', table: store.table('public', name)! })
  const count = await countBySql(session, store.table('public', name)!)
  if (count !== rows.length) throw new Error(`table ${name}: ${count} rows instead of the ${rows.length} just written`)
  if (random.once(4))
    await store.changeTable(context, store.table('public', name)!, { kind: 'rename', name: `${name}x` })
  const renamed = store.table('public', `${name}x`)
  if (renamed !== undefined) await store.dropTable(context, renamed)
  step('own table')
}

async function readSql(place: Workplace): Promise<void> {
  const { session, ledger, random } = place
  await pause(random, 30)
  const model = random.pick(tablesOf(ledger))
  const table = session.store.table('public', model.name)
  if (table === undefined) return
  const begin = ledger.clock + 1
  if (random.once(2)) {
    const count = await tolerant(session, [table], () => countBySql(session, table))
    if (count === undefined) return
    const { least, most } = countBounds(model, begin)
    if (count < least || count > most) throw new Error(`table ${model.name}: ${count} rows, not ${least} to ${most}`)
  } else {
    const who = `writer=w${random.below(writers)}`
    const isSome = random.once(2) && model.kind !== 'append'
    const where: Condition = { kind: 'equals', column: 'writer', value: who.slice(who.indexOf('=') + 1) }
    const read = isSome ? { where } : {}
    const found = await tolerant(session, [table], () => readBySql(session, table, model.kind, read))
    if (found === undefined) return
    const asked = (key: string) => !isSome || key.includes(who)
    const rows = new Map([...found].filter(([key]) => asked(key)))
    // Columns that came since are in rows of writes that are under way.
    const only = table.columns.map(({ name }) => (name === valueColumn ? idColumn : name))
    fail(problemOf(model, { begin, rows, asked, only }), 'by SQL')
  }
  place.step('SQL')
}

/** Undefined where the table changed meanwhile and its old definition explains it: an error, or rows without their newest tags. */
async function tolerant<T>(
  { store }: Session,
  tables: readonly Table[],
  work: () => Promise<T>
): Promise<T | undefined> {
  const now = (table: Table) => store.table(table.database, table.name)
  try {
    const found = await work()
    return tables.some(table => now(table)?.tags.length !== table.tags.length) ? undefined : found
  } catch (error) {
    if (isDbError(error) && tables.some(table => now(table)?.version !== table.version)) return undefined
    throw error
  }
}

async function readSeries(place: Workplace): Promise<void> {
  const { session, ledger, random } = place
  await pause(random, 20)
  const kind = random.pick(['last_row', 'last_non_null', 'logical', 'series'] as const)
  const models = tablesOf(ledger).filter(model => model.kind === kind && session.store.table('public', model.name))
  const chosen = kind === 'series' && random.once(2) ? models : models.slice(0, 1)
  if (chosen.length === 0) return
  const begin = ledger.clock + 1
  const tables = chosen.map(({ name }) => session.store.table('public', name)!)
  // Side by side, as the selectors of one expression are.
  const both = () => Promise.all([readBySeries(session, tables), readBySeries(session, tables.slice(0, 1))])
  const read = await tolerant(session, tables, both)
  if (read === undefined) return
  const [found, again] = read
  for (const model of chosen)
    fail(problemOf(model, { begin, rows: found.get(model.name)!, only: [idColumn] }), 'by series')
  const [first] = chosen
  fail(problemOf(first!, { begin, rows: again.get(first!.name)!, only: [idColumn] }), 'by series, beside another query')
  place.step('series')
}

export function fail(problem: string | undefined, how: string): void {
  if (problem !== undefined) throw new Error(`${problem} (read ${how})`)
}

/** Compares every table with the model, by SQL and by series; no client may be writing. */
export async function compareAll(session: Session, ledger: Ledger, when: string): Promise<void> {
  const begin = ledger.clock + 1
  for (const model of tablesOf(ledger)) {
    const table = session.store.table('public', model.name)
    if (table === undefined) {
      if (countBounds(model, begin).least > 0) throw new Error(`table ${model.name} is gone ${when}`)
      continue
    }
    const rows = await readBySql(session, table, model.kind)
    fail(problemOf(model, { begin, rows }), `by SQL ${when}`)
    if (model.kind === 'append') continue
    const series = await readBySeries(session, [table])
    fail(problemOf(model, { begin, rows: series.get(model.name)!, only: [idColumn] }), `by series ${when}`)
  }
}

/** After a crash: finds out which of the writes under way are there; a write that is there by half is a problem. */
export async function settle(session: Session, ledger: Ledger): Promise<void> {
  const read = new Map<string, ReadonlyMap<string, ReadonlyMap<string, string>>>()
  for (const model of tablesOf(ledger)) {
    const table = session.store.table('public', model.name)
    read.set(model.name, table === undefined ? new Map() : await readBySql(session, table, model.kind))
  }
  for (const [id, { begin, rows }] of [...ledger.unsettled]) {
    const told = rows.filter(({ table, op }) => {
      const { changes } = ledger.tables.get(table)!
      return (
        op === 'put' && !changes.some(({ kind, end }) => kind === 'truncate' && (end === undefined || end >= begin))
      )
    })
    const there = told.filter(({ table, key }) => read.get(table)?.get(key)?.get(idColumn) === String(id))
    if (there.length > 0 && there.length < told.length) {
      throw new Error(`write ${id} is there by half: ${there.length} of ${told.length} rows, after a crash`)
    }
    if (rows.length > 0) ledger.settle(id, told.length === 0 ? undefined : there.length > 0)
  }
}
