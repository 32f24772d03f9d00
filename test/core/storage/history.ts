// Runs each step of a random history on an engine and on the model, and compares both.
import { cpSync } from 'node:fs'
import type { ColumnDefinition, Table } from '../../../core/model/table.ts'
import type { Engine } from '../../../core/storage/engine.ts'
import {
  type Cell,
  linesOf,
  linesOfColumns,
  never,
  type Row,
  rowsWrite,
  tableNamed
} from '../../contract/engine/rows.ts'
import { columns } from '../../contract/engine/trial.ts'
import { converted } from './converted.ts'
import { type ReadFile, readDataFiles, rowsOfTable } from './data-files.ts'
import { type ModelColumn, TableModel } from './model.ts'
import type { RowSeed, Step, TableSpec } from './steps.ts'

/** An engine and the model of its tables, taking the same steps. */
export class History {
  readonly #open: (folder: string) => Promise<Engine>
  readonly #newFolder: () => string
  readonly #specs: readonly TableSpec[]
  readonly #models: TableModel[]
  readonly #names: string[]
  /** Days rows live in tables that say nothing of it. */
  #databaseDays: number | undefined
  #folder: string
  #engine: Engine

  static async start(specs: readonly TableSpec[], newFolder: () => string, open: (folder: string) => Promise<Engine>) {
    const folder = newFolder()
    const history = new History(specs, newFolder, open, folder, await open(folder))
    for (const i of specs.keys()) await history.#create(i)
    return history
  }

  private constructor(
    specs: readonly TableSpec[],
    newFolder: () => string,
    open: (folder: string) => Promise<Engine>,
    folder: string,
    engine: Engine
  ) {
    this.#specs = specs
    this.#newFolder = newFolder
    this.#open = open
    this.#folder = folder
    this.#engine = engine
    this.#models = specs.map(emptyModel)
    this.#names = specs.map((_, i) => `table${i}`)
  }

  /** Tables whose rows differ from the model's, with the rows found and expected. Undefined when all are equal. */
  async difference(): Promise<{ table: string; found: string; wanted: string } | undefined> {
    for (const [i, model] of this.#models.entries()) {
      const table = this.#names[i]!
      const found = await linesOf(this.#engine, table)
      if (found !== model.lines()) return { table, found, wanted: model.lines() }
    }
    return undefined
  }

  /** The same of statements that each can mean one column and the time, all at once. */
  async differenceByColumn(): Promise<{ table: string; found: string; wanted: string } | undefined> {
    for (const [i, model] of this.#models.entries()) {
      const name = this.#names[i]!
      const time = model.columns.find(({ kind }) => kind === 'time')!
      const compare = async (column: ModelColumn) => {
        const shown = column === time ? [time] : [time, column]
        const names = shown.map(each => each.name)
        const found = await linesOfColumns(this.#engine, name, names)
        const wanted = model.lines(shown)
        return found === wanted ? [] : [{ table: `${name} (${names.join(', ')})`, found, wanted }]
      }
      const [first] = (await Promise.all(model.columns.map(compare))).flat()
      if (first !== undefined) return first
    }
    return undefined
  }

  /** The same of what an independent reader finds in the files; the engine is closed, so every row is in one. */
  async differenceInFiles(): Promise<{ table: string; found: string; wanted: string } | undefined> {
    const tables = this.#names.map((_, i) => this.#table(i))
    const hosts = tables.map(table => this.#engine.catalog.table('public', table.options.physical_table ?? '') ?? table)
    await this.#engine.close()
    const files: ReadFile[] = []
    for await (const file of readDataFiles(this.#folder)) files.push(file)
    for (const [i, model] of this.#models.entries()) {
      const found = model.emptied()
      const own = files.filter(({ table }) => table === hosts[i]!.id).flatMap(({ rows }) => rows)
      for (const { op, row } of rowsOfTable(own, tables[i]!, hosts[i]!)) found.add([row], op)
      if (found.lines() !== model.lines()) {
        return { table: `${this.#names[i]}, in files,`, found: found.lines(), wanted: model.lines() }
      }
    }
    return undefined
  }

  async take(step: Step): Promise<void> {
    switch (step.do) {
      case 'write':
        return this.#write(step.tables, step.rows, step.without)
      case 'delete':
        return this.#delete(step.table, step.rows)
      case 'flush':
      case 'compact':
        return this.#maintain(step.do, step.table)
      case 'crash':
        return this.#crash()
      case 'restart':
        await this.#engine.close()
        this.#engine = await this.#open(this.#folder)
        for (const model of this.#models) model.flush()
        return
      case 'read':
        return
      default:
        return this.#change(step)
    }
  }

  close(): Promise<void> {
    return this.#engine.close()
  }

  async #write(tables: readonly number[], seeds: readonly RowSeed[], without: number): Promise<void> {
    const writes = tables.map(i => {
      const rows = seeds.map(seed => this.#row(i, seed, without))
      this.#models[i]!.add(rows, 'put')
      return rowsWrite(this.#table(i), rows)
    })
    await this.#engine.write(writes, never)
  }

  async #delete(i: number, seeds: readonly RowSeed[]): Promise<void> {
    const model = this.#models[i]!
    if (model.options.append_mode) return
    const keys = model.columns.filter(({ kind }) => kind !== 'field').map(({ name }) => name)
    const rows = seeds.map(seed => {
      const row = this.#row(i, seed, 0)
      return Object.fromEntries(keys.map(key => [key, row[key]!]))
    })
    model.add(rows, 'delete')
    await this.#engine.write([rowsWrite(this.#table(i), rows, 'delete')], never)
  }

  async #maintain(kind: 'flush' | 'compact', only: number | undefined): Promise<void> {
    await this.#engine.maintain({ kind, ...(only !== undefined && { table: this.#table(only) }) }, never)
    if (kind === 'compact') return
    // Rows of logical tables lie together.
    const together = (model: TableModel) => model.options.physical_table !== undefined
    for (const [i, model] of this.#models.entries()) {
      if (only === undefined || only === i || together(model)) model.flush()
    }
  }

  /** Goes on with what a power cut would leave at this moment. */
  async #crash(): Promise<void> {
    const copy = this.#newFolder()
    cpSync(this.#folder, copy, { recursive: true })
    await this.#engine.close()
    this.#folder = copy
    this.#engine = await this.#open(copy)
    for (const model of this.#models) model.crash()
  }

  async #change({ do: what, table: i, which }: Extract<Step, { readonly which: number }>): Promise<void> {
    if (what === 'recreate') {
      await this.#engine.catalog.dropTable(this.#table(i))
      this.#models[i] = emptyModel(this.#specs[i]!)
      return this.#create(i)
    }
    const model = this.#models[i]!
    if (what === 'expire') return this.#expire(i, lifetimes[which % lifetimes.length]!)
    if (what === 'expire_all') return this.#expireAll(lifetimes[which % lifetimes.length]!)
    if (what === 'rename') return this.#rename(i)
    if (what === 'set_skip_wal') return this.#setSkipWal(i, which % 2 === 0)
    if (what === 'truncate') {
      model.truncate()
      await this.#engine.catalog.changeTable(this.#table(i), { kind: 'truncate' })
      return
    }
    if (what === 'keep_all') return this.#keepAll(i)
    if (what === 'add_to_all') return this.#addToAll(`field${which}`)
    const name = what === 'add_tag' ? `tag${which}` : `field${which}`
    const exists = model.columns.find(column => column.name === name)
    const table = this.#table(i)
    if (what === 'drop_field' && exists !== undefined) {
      model.dropColumn(name)
      await this.#engine.catalog.changeTable(table, { kind: 'drop_column', name })
    }
    if (what === 'retype' && exists !== undefined) return this.#retype(i, exists)
    if (what === 'describe' && exists !== undefined) {
      const described = { ...definition(exists), comment: 'described' }
      await this.#engine.catalog.changeTable(table, { kind: 'modify_column', name, definition: described })
    }
    const adds = what === 'add_tag' || what === 'add_field' || what === 'add_default'
    if (adds && exists === undefined) await this.#add(i, name, what)
  }

  /** Logical tables have no initial values. */
  async #add(i: number, name: string, what: 'add_tag' | 'add_field' | 'add_default'): Promise<void> {
    const model = this.#models[i]!
    const column = named(name, what === 'add_tag' ? 'tag' : 'field')
    const fills = what === 'add_default' && model.options.physical_table === undefined
    model.addColumn({ ...column, ...(fills && { initial: converted('7', 'String', column.type) }) })
    const added = { ...definition(column), ...(fills && { initial: '7' }) }
    await this.#engine.catalog.changeTable(this.#table(i), { kind: 'add_columns', columns: [added] })
  }

  /** Where fields are merged, only into texts: a value that becomes null may have hidden another one before, or not. */
  async #retype(i: number, { name, kind, type }: ModelColumn): Promise<void> {
    const model = this.#models[i]!
    const { physical_table, merge_mode } = model.options
    if (physical_table !== undefined || (merge_mode === 'last_non_null' && type === 'String')) return
    const to = nextType[type as keyof typeof nextType]
    model.retype(name, to)
    const change = { kind: 'modify_column', name, definition: definition({ name, kind, type: to }) } as const
    await this.#engine.catalog.changeTable(this.#table(i), change)
  }

  /** Both tables get the column in one go, where they do not have it. */
  async #addToAll(name: string): Promise<void> {
    const added = { kind: 'add_columns', columns: [definition(named(name, 'field'))] } as const
    const steps = this.#models.flatMap((model, i) => {
      if (model.columns.some(column => column.name === name)) return []
      model.addColumn(named(name, 'field'))
      return [{ kind: 'change', table: this.#table(i), change: added } as const]
    })
    await this.#engine.catalog.changeTables(steps)
  }

  async #rename(i: number): Promise<void> {
    const table = this.#table(i)
    const name = table.name.endsWith('again') ? `table${i}` : `table${i}again`
    this.#names[i] = name
    await this.#engine.catalog.changeTable(table, { kind: 'rename', name })
  }

  async #keepAll(i: number): Promise<void> {
    const model = this.#models[i]!
    const { append_mode, merge_mode, physical_table } = model.options
    if (append_mode || merge_mode === 'last_non_null' || physical_table !== undefined) return
    model.keepAll()
    await this.#engine.catalog.changeTable(this.#table(i), { kind: 'set_options', options: { append_mode: true } })
  }

  /** Logical tables share the option. */
  async #setSkipWal(i: number, skip_wal: boolean): Promise<void> {
    const model = this.#models[i]!
    if (model.options.physical_table !== undefined) return
    model.options = { ...model.options, skip_wal }
    await this.#engine.catalog.changeTable(this.#table(i), { kind: 'set_options', options: { skip_wal } })
  }

  /** Lets rows live for so many days; only ever fewer, since what is past may be gone. */
  async #expire(i: number, days: number): Promise<void> {
    const model = this.#models[i]!
    if (!model.expireBefore(endOfLife(days))) return
    model.options = { ...model.options, ttl: `${days}days` }
    await this.#engine.catalog.changeTable(this.#table(i), { kind: 'set_options', options: { ttl: `${days}days` } })
  }

  /** The same for all tables without a time of their own, now and later; only ever shorter. */
  async #expireAll(days: number): Promise<void> {
    if (this.#databaseDays !== undefined && this.#databaseDays <= days) return
    this.#databaseDays = days
    for (const model of this.#models) if (model.options.ttl === undefined) model.expireBefore(endOfLife(days))
    await this.#engine.catalog.changeDatabase('public', { ttl: `${days}days` })
  }

  async #create(i: number): Promise<void> {
    const { columns, options } = this.#models[i]!
    if (this.#databaseDays !== undefined) this.#models[i]!.expireBefore(endOfLife(this.#databaseDays))
    await this.#engine.catalog.createTable({
      database: 'public',
      name: this.#names[i]!,
      columns: columns.map(definition),
      options
    })
  }

  #table(i: number): Table {
    return tableNamed(this.#engine, this.#names[i]!)
  }

  /** Bits of `without` leave columns out. */
  #row(i: number, seed: RowSeed, without: number): Row {
    const given = this.#models[i]!.columns.filter(({ kind }, c) => kind === 'time' || ((without >> c) & 1) === 0)
    const cells = given.map((column, c): [string, Cell] => [column.name, cellOf(column, seed, seed.cells[c % 8]!)])
    return Object.fromEntries(cells)
  }
}

function emptyModel({ options, tags }: TableSpec): TableModel {
  const tagNames = Array.from({ length: tags }, (_, i) => `tag${i}`)
  return new TableModel(options, [
    ...tagNames.map(name => named(name, 'tag')),
    named('at', 'time'),
    named('field0', 'field'),
    named('field1', 'field')
  ])
}

type Named = Pick<ModelColumn, 'name' | 'kind' | 'type'>

/** New columns of a name have one type for ever, so that one dropped and added again reads what it must not read without an error. */
function named(name: string, kind: ModelColumn['kind']): Named {
  const types = { at: 'TimestampMillisecond', tag1: 'Int32', field0: 'Int64', field2: 'Float64' } as const
  return { name, kind, type: types[name as keyof typeof types] ?? 'String' }
}

const nextType = { Float64: 'Int64', Int64: 'String', String: 'Float64' } as const

function definition({ name, kind, type }: Named): ColumnDefinition {
  return columns(`${kind} ${name} ${type}`)[0]!
}

const day = 86_400_000n

/** Twenty days ago; rows lie around it and one and two weeks later. */
const firstTime = (BigInt(Date.now()) / day - 20n) * day

/** The first time that is still visible when rows live for so many days. */
function endOfLife(days: number): bigint {
  return firstTime + BigInt(20 - days) * day
}

/** Days rows may live: times to live that end between the three. */
const lifetimes = [10, 17]

const texts = [null, '', 'a', 'b', 'a text of more than twelve bytes', 'ä€😀']

function cellOf({ kind, type }: Named, { at }: RowSeed, seed: number): Cell {
  if (kind === 'time') return firstTime + BigInt(at % 4) + BigInt(Math.floor(at / 4)) * 7n * day
  if (type === 'String') return texts[seed]!
  if (seed === 0) return null
  if (type === 'Int64') return BigInt(seed) - 3n
  return type === 'Float64' ? seed / 4 : seed - 3
}
