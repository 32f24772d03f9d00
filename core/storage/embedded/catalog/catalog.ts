// The catalog: databases, tables, columns, files and series in one SQLite file, mirrored in memory so that look-ups cost nothing.
import type { DatabaseSync } from 'node:sqlite'
import { DbError } from '../../../errors.ts'
import type {
  Database,
  Table,
  TableChange,
  TableColumn,
  TableDefinition,
  TableOptions,
  View
} from '../../../model/table.ts'
import type { TableStep } from '../../engine.ts'
import { changeProblem, isLogical, isPhysical, physicalTableProblem, sharedModes } from '../../logical.ts'
import { failpoint } from '../failpoint.ts'
import { retentionCutoff } from '../file/retention.ts'
import type { SeriesEntry } from '../log/record.ts'
import { type LogBounds, readLogBounds } from '../open.ts'
import { applyChange } from './apply-change.ts'
import { type CatalogCopy, copyCatalog } from './catalog-copy.ts'
import { catalogError, openCatalogFile, prepareCatalog } from './catalog-file.ts'
import { readCatalog, requireSound } from './catalog-load.ts'
import { catalogFormat, catalogSchema, type DataFile, lastTableId, makeTable, type TableState } from './catalog-rows.ts'
import { CatalogSpare } from './catalog-spare.ts'
import { CatalogSync } from './catalog-sync.ts'
import { CatalogTime } from './catalog-time.ts'
import { keepOlderFormat } from './catalog-upgrade.ts'
import {
  deleteSeries,
  deleteTable,
  droppedWithSeries,
  insertColumns,
  insertFile,
  insertSeries,
  insertTable,
  prepared
} from './catalog-write.ts'
import { findPhysicalColumn } from './logical.ts'
import { hiddenNames, identify } from './naming.ts'
import { CatalogViews } from './views.ts'

/** The result of flushing a table. */
export interface FlushedTable {
  readonly table: Table
  /** Undefined where no row is left. */
  readonly file: Omit<DataFile, 'id' | 'table'> | undefined
  /** That the rows use and the catalog lacks. */
  readonly series: readonly SeriesEntry[]
  /** Rows with a lower number are all in files now. */
  readonly flushedSeq: number
}

/**
 * A change is there when its method returns, for all who look, and on the disk when `durable` resolves. It is made before others run once
 * `ready` resolves.
 */
export class EmbeddedCatalog {
  readonly #sqlite: DatabaseSync
  readonly #databases = new Map<string, Database>()
  readonly #names = new Map<string, Map<string, TableState>>()
  readonly #byId = new Map<number, TableState>()
  readonly #views: CatalogViews
  /** Undefined for a copy, whose changes the log need not know. */
  readonly #time: CatalogTime | undefined
  readonly #sync: CatalogSync | undefined
  #spare: CatalogSpare | undefined
  readonly #path: string
  /** Tables in memory may be ahead of the file, because a running transaction has changed them. */
  #touched = false

  /** Opens the file and takes it for this process alone, when it belongs to the log; the log's mark follows its changes unless it is a copy. */
  constructor(path: string, logDir: string, { isCopy = false }: { readonly isCopy?: boolean } = {}) {
    this.#path = path
    const main = requireSound(path, logDir)
    this.#sqlite = openCatalogFile(path, logDir)
    this.#views = new CatalogViews(this.#sqlite)
    try {
      if (!isCopy) keepOlderFormat(this.#sqlite, path)
      prepareCatalog(this.#sqlite, catalogSchema)
      this.#time = isCopy ? undefined : new CatalogTime(this.#sqlite, logDir, main)
      this.#sync = this.#time && new CatalogSync(this.#sqlite, path, this.#time)
      if (this.meta('format') !== String(catalogFormat)) this.setMeta('format', String(catalogFormat))
      this.#load()
      const lost = isCopy ? [] : droppedWithSeries(this.#sqlite)
      if (lost.length > 0) this.removeSeries(lost, Number.POSITIVE_INFINITY)
    } catch (error) {
      if (this.#sync) this.#sync.closeNow()
      else this.#sqlite.close()
      this.#time?.close()
      throw error instanceof DbError ? error : catalogError(path, error)
    }
  }

  /** From now on there is a spare, as new as the catalog: before anything changes. */
  async keepSpare(): Promise<void> {
    if (this.#time) this.#spare = await CatalogSpare.open(this.#sqlite, this.#path, this.#time.generation)
  }

  async close(): Promise<void> {
    await this.#spare?.close()
    if (this.#sync) await this.#sync.close()
    else this.#sqlite.close()
    this.#time?.close()
  }

  /** Why it takes no changes until a restart. */
  get trouble(): string | undefined {
    return this.#sync?.trouble
  }

  /** Throws DbError `StorageUnavailable` once it takes no changes until a restart. */
  requireSound(): void {
    this.#sync?.requireSound()
  }

  /** Resolves when a change can be made; the caller makes it before others run. */
  async ready(): Promise<void> {
    await this.#sync?.ready()
  }

  /** Resolves when all changes made so far are on the disk. Throws DbError `StorageUnavailable` when nobody can know whether they are. */
  async durable(): Promise<void> {
    await this.#sync?.durable()
  }

  databases(): readonly Database[] {
    return [...this.#databases.values()]
  }

  database(name: string): Database | undefined {
    return this.#databases.get(name)
  }

  tables(database: string): readonly Table[] {
    return [...(this.#names.get(database)?.values() ?? [])].map(state => state.table)
  }

  table(database: string, name: string): Table | undefined {
    return this.#names.get(database)?.get(name)?.table
  }

  /** The table that holds the rows: the physical one of a logical table, any other itself. */
  physicalTable(table: Table): Table {
    const name = table.options.physical_table
    return (name === undefined ? undefined : this.table(table.database, name)) ?? table
  }

  /** Ids of the logical tables of a physical one; undefined for any other table. */
  logicalIds(table: Table): readonly number[] | undefined {
    return isPhysical(table) ? this.#logical(table).map(({ id }) => id) : undefined
  }

  tableById(id: number): Table | undefined {
    return this.#byId.get(id)?.table
  }

  /** The highest number a table was ever given. */
  lastTableId(): number {
    return lastTableId(this.#sqlite)
  }

  /** Those there are as they are asked for: whoever looks at them in turns meets new ones, too. */
  *allTables(): Iterable<Table> {
    for (const { table } of this.#byId.values()) yield table
  }

  files(table: Table): readonly DataFile[] {
    return this.#byId.get(table.id)?.files ?? []
  }

  allFiles(): readonly DataFile[] {
    return [...this.#byId.values()].flatMap(state => state.files)
  }

  /** The oldest visible time of a table, see retention.ts. */
  cutoff(table: Table, now: number): bigint | undefined {
    const logical = isPhysical(table) ? this.#logical(table) : []
    const options = this.#databases.get(table.database)?.options ?? {}
    const cutoffs = (logical.length > 0 ? logical : [table]).map(each => retentionCutoff(each, options, now))
    if (cutoffs.includes(undefined)) return undefined
    // Until then the table with the longest lifetime shows rows.
    return cutoffs.toSorted((a, b) => (a! < b! ? -1 : 1))[0]
  }

  folder(table: Table): string {
    return this.#state(table).folder
  }

  /** Rows of the table with a lower number are all in files. */
  flushedSeq(table: number): number {
    return this.#byId.get(table)?.flushedSeq ?? Number.POSITIVE_INFINITY
  }

  meta(key: string): string | undefined {
    const row = this.#sqlite.prepare('SELECT value FROM meta WHERE key = ?').get(key)
    return row?.value as string | undefined
  }

  /** Segments of the log that must be there, see wal.ts. */
  logBounds(): LogBounds {
    return readLogBounds(key => this.meta(key))
  }

  setMeta(key: string, value: string): void {
    const put = 'INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)'
    this.#transaction(() => this.#sqlite.prepare(put).run(key, value))
  }

  createDatabase(name: string, options: TableOptions): Database {
    const insert = this.#sqlite.prepare('INSERT INTO databases (name, options) VALUES (?, ?)')
    const { lastInsertRowid } = this.#transaction(() => insert.run(name, JSON.stringify(options)))
    const database: Database = { id: Number(lastInsertRowid), name, options }
    this.#databases.set(name, database)
    this.#names.set(name, new Map())
    return database
  }

  changeDatabase(name: string, options: TableOptions): Database {
    const database: Database = { ...this.#databases.get(name)!, options }
    const update = this.#sqlite.prepare('UPDATE databases SET options = ? WHERE id = ?')
    this.#transaction(() => update.run(JSON.stringify(options), database.id))
    this.#databases.set(name, database)
    return database
  }

  views(database: string): readonly View[] {
    return this.#views.of(database)
  }

  view(database: string, name: string): View | undefined {
    return this.#views.find(database, name)
  }

  putView(view: View): void {
    this.#transaction(() => {
      this.#touched = true
      this.#views.put(this.#databases.get(view.database)!, view)
    })
  }

  dropView({ database, name }: View): void {
    this.#transaction(() => {
      this.#touched = true
      this.#views.drop(this.#databases.get(database)!, name)
    })
  }

  /** Forgets the database and all its tables; their files and series are the caller's to remove. */
  dropDatabase(name: string): void {
    const database = this.#databases.get(name)!
    this.#transaction(() => {
      for (const table of this.tables(name)) deleteTable(this.#sqlite, table.id)
      this.#views.deleteAll(database)
      this.#sqlite.prepare('DELETE FROM databases WHERE id = ?').run(database.id)
    })
    for (const table of this.tables(name)) this.#byId.delete(table.id)
    this.#databases.delete(name)
    this.#names.delete(name)
    this.#views.forget(name)
  }

  createTable(definition: TableDefinition): Table {
    return this.#transaction(() => this.#create(definition))
  }

  changeTable(table: Table, change: TableChange): Table {
    if (change.kind === 'truncate' && isLogical(table)) return this.#makeAnew(table)
    return this.#transaction(() => this.#change(table, change))
  }

  changeTables(steps: readonly TableStep[]): readonly Table[] {
    return this.#transaction(() =>
      steps.map(step =>
        step.kind === 'create' ? this.#create(step.definition) : this.#change(step.table, step.change)
      )
    )
  }

  /** A logical table under a new number: the rows of the old one belong to nobody. */
  #makeAnew(table: Table): Table {
    return this.#transaction(() => {
      deleteTable(this.#sqlite, table.id)
      this.#forget(table)
      return this.#create(table)
    })
  }

  /** Their files and series are the caller's to remove. A table that holds logical ones can only be dropped after them. */
  dropTables(tables: readonly Table[]): void {
    for (const table of tables) this.#refusePhysical(table, 'be dropped', tables)
    this.#transaction(() => {
      for (const table of tables) deleteTable(this.#sqlite, table.id)
    })
    for (const table of tables) this.#forget(table)
  }

  /** Removes about `max` series of dropped tables; the tables of `ids` that have some left. */
  removeSeries(ids: readonly number[], max: number): readonly number[] {
    return this.#transaction(() => deleteSeries(this.#sqlite, ids, max))
  }

  #forget(table: Table): void {
    this.#touched = true
    const state = this.#byId.get(table.id)
    if (state !== undefined) this.#physicalState(state.table)?.logical.delete(state)
    this.#byId.delete(table.id)
    this.#names.get(table.database)?.delete(table.name)
  }

  /** Finished flushes of tables, each of them once, in one transaction. */
  addFiles(flushed: readonly FlushedTable[]): void {
    const states = flushed.map(({ table }) => this.#state(table))
    const added = this.#transaction(() =>
      flushed.map(({ table, file, series, flushedSeq }) => {
        this.#insertSeries(table, series)
        prepared(this.#sqlite, 'UPDATE tables SET flushed_seq = ? WHERE id = ?').run(flushedSeq, table.id)
        return file && { ...file, table: table.id, id: insertFile(this.#sqlite, table.id, file) }
      })
    )
    for (const [i, state] of states.entries()) {
      state.flushedSeq = flushed[i]!.flushedSeq
      if (added[i] !== undefined) state.files = [...state.files, added[i]]
    }
  }

  /** Series that no file refers to yet. */
  saveSeries(table: Table, series: readonly SeriesEntry[]): void {
    this.#transaction(() => this.#insertSeries(table, series))
  }

  /** One file in place of others, or none: after a compaction, or when rows are past their time. False when some are gone already. */
  replaceFiles(table: Table, gone: readonly DataFile[], file: Omit<DataFile, 'id' | 'table'> | undefined): boolean {
    const state = this.#byId.get(table.id)
    const ids = new Set(gone.map(({ id }) => id))
    if (state === undefined || state.files.filter(({ id }) => ids.has(id)).length < ids.size) return false
    const added = this.#transaction(() => {
      const remove = this.#sqlite.prepare('DELETE FROM files WHERE id = ?')
      for (const id of ids) remove.run(id)
      return file && { ...file, table: table.id, id: insertFile(this.#sqlite, table.id, file) }
    })
    state.files = [...state.files.filter(({ id }) => !ids.has(id)), ...(added ? [added] : [])]
    return true
  }

  /** How many series of a table are saved, roughly. */
  seriesCount(table: number): number {
    const select = prepared(this.#sqlite, 'SELECT max(tsid) AS last FROM series WHERE table_id = ?')
    return Number(select.get(table)?.['last'] ?? 0)
  }

  /** Up to `max` series of a table as files know them, ascending, those with a number of at least `from`. */
  series(table: number, from: number, max: number): SeriesEntry[] {
    const text = 'SELECT tsid, key FROM series WHERE table_id = ? AND tsid >= ? ORDER BY tsid LIMIT ?'
    const select = prepared(this.#sqlite, text)
    // Takes half the time of rows as objects.
    select.setReturnArrays(true)
    const rows = select.all(table, from, max) as unknown as [tsid: number, key: Uint8Array][]
    return rows.map(([tsid, key]) => ({ tsid, key }))
  }

  /** Everything but the series, for a backup. */
  copy(): CatalogCopy {
    return copyCatalog(this.#sqlite)
  }

  /** The highest number any file holds, plus one. */
  nextSeq(): number {
    let next = 1
    for (const state of this.#byId.values()) {
      next = Math.max(next, state.flushedSeq, ...state.files.map(file => file.maxSeq + 1))
    }
    return next
  }

  #create(definition: TableDefinition): Table {
    const database = this.#databases.get(definition.database)!
    const taken = new Set(hiddenNames)
    const identified = definition.columns.map((column, i) => identify(column, i + 1, taken))
    const physical = definition.options.physical_table
    const columns = physical === undefined ? identified : this.#store(this.#physical(physical, definition), identified)
    const createdAt = Date.now()
    const { id, folder } = insertTable(this.#sqlite, database, { ...definition, createdAt })
    insertColumns(this.#sqlite, id, columns, 0)
    const table = makeTable({ ...definition, id, columns, version: 1, createdAt })
    const none = { flushedSeq: 0, files: [], logical: new Set<TableState>() }
    this.#remember({ table, taken, nextColumn: columns.length + 1, folder, ...none })
    return table
  }

  #change(table: Table, change: TableChange): Table {
    if (change.kind === 'rename') this.#refusePhysical(table, 'be renamed')
    const problem = change.kind === 'set_options' ? changeProblem(table, change.options) : undefined
    if (problem) throw new DbError('InvalidArguments', `options of table ${table.name} cannot change: ${problem}`)
    if (change.kind === 'truncate') this.#refusePhysical(table, 'be truncated')
    const state = this.#state(table)
    this.#touched = true
    prepared(this.#sqlite, 'UPDATE tables SET version = version + 1 WHERE id = ?').run(table.id)
    const changed = applyChange(this.#sqlite, state, change, columns => this.#storedColumns(table, columns))
    state.table = changed
    if (changed.name !== table.name) {
      const names = this.#names.get(table.database)!
      names.delete(table.name)
      names.set(changed.name, state)
    }
    return changed
  }

  #logical(physical: Table): readonly Table[] {
    return Array.from(this.#byId.get(physical.id)?.logical ?? [], state => state.table)
  }

  /** `but`: tables that do not count. */
  #refusePhysical(table: Table, action: string, but: readonly Table[] = []): void {
    const held = isPhysical(table) ? this.#logical(table) : []
    const count = held.filter(each => !but.some(({ id }) => id === each.id)).length
    if (count > 0)
      throw new DbError('InvalidArguments', `table ${table.name} holds ${count} logical tables and cannot ${action}`)
  }

  /** The physical table a new logical one names, made when it is missing. */
  #physical(name: string, { database, columns, options }: TableDefinition): Table {
    const time = columns.find(column => column.semantic === 'timestamp')!
    const modes = sharedModes(options)
    const found = this.table(database, name)
    if (found === undefined) {
      return this.#create({ database, name, columns: [time], options: { ...modes, physical_metric_table: true } })
    }
    const problem = physicalTableProblem(found, time, modes)
    if (problem) throw new DbError('InvalidArguments', `table ${name} cannot hold this logical table: ${problem}`)
    return found
  }

  /** Finds or adds the physical table's column for each column of a logical one; `own` are those it ever had. */
  #store(physical: Table, columns: readonly TableColumn[], own: readonly TableColumn[] = []): TableColumn[] {
    const taken = new Set(own.map(column => column.stored))
    return columns.map(column => {
      const { table } = this.#state(physical)
      const { name, type, semantic } = column
      const added = { kind: 'add_columns', columns: [{ name, type, semantic, nullable: true }] } as const
      const stored = findPhysicalColumn(table, column, taken) ?? this.#change(table, added).columns.at(-1)!
      taken.add(stored.id)
      return { ...column, stored: stored.id }
    })
  }

  /** New columns of a table with the ids of the physical columns that store them. */
  #storedColumns(table: Table, columns: readonly TableColumn[]): readonly TableColumn[] {
    return isLogical(table) ? this.#store(this.physicalTable(table), columns, this.#everOf(table)) : columns
  }

  /** All columns a table ever had, dropped ones too. */
  #everOf(table: Table): TableColumn[] {
    const rows = this.#sqlite.prepare('SELECT definition FROM columns WHERE table_id = ?').all(table.id)
    return rows.map(row => JSON.parse(row.definition as string) as TableColumn)
  }

  #state(table: Table): TableState {
    const state = this.#byId.get(table.id)
    if (state === undefined) throw new DbError('TableNotFound', `Table not found: ${table.database}.${table.name}`)
    return state
  }

  #physicalState({ database, options }: Table): TableState | undefined {
    return options.physical_table === undefined ? undefined : this.#names.get(database)?.get(options.physical_table)
  }

  #remember(state: TableState): void {
    this.#touched = true
    this.#byId.set(state.table.id, state)
    this.#physicalState(state.table)?.logical.add(state)
    this.#names.get(state.table.database)!.set(state.table.name, state)
  }

  #transaction<T>(work: () => T): T {
    const result = this.#attempt(work)
    failpoint('catalog.committed')
    // Before the log's mark: a spare that is behind it would be of another time.
    this.#spare?.write()
    this.#sync?.committed()
    return result
  }

  #attempt<T>(work: () => T): T {
    let isOpen = false
    try {
      this.#sync?.begin()
      this.#sqlite.exec('BEGIN IMMEDIATE')
      isOpen = true
      this.#touched = false
      this.#spare?.begin()
      const result = work()
      this.#time?.count()
      if (this.#time) this.#spare?.collect(this.#time.generation + 1)
      failpoint('catalog.changed')
      this.#sqlite.exec('COMMIT')
      return result
    } catch (error) {
      if (isOpen) this.#sqlite.exec('ROLLBACK')
      if (isOpen && this.#touched) this.#load()
      if (error instanceof DbError) throw error
      throw new DbError('StorageUnavailable', `the catalog cannot be changed: ${String(error)}`, {
        cause: error,
        retryAfter: 5
      })
    } finally {
      this.#spare?.release()
      this.#sync?.end()
    }
  }

  #insertSeries(table: Table, series: readonly SeriesEntry[]): void {
    insertSeries(this.#sqlite, table.id, series)
    this.#spare?.add(table.id, series)
  }

  #load(): void {
    this.#databases.clear()
    this.#names.clear()
    this.#byId.clear()
    const { databases, tables } = readCatalog(this.#sqlite)
    for (const database of databases) {
      this.#databases.set(database.name, database)
      this.#names.set(database.name, new Map())
    }
    for (const state of tables) this.#remember(state)
    this.#views.load()
  }
}
