// The catalog in a cluster, as one process sees it: read from comments and records, changed by idempotent statements.
import { createHash, randomInt } from 'node:crypto'
import { DbError, reasonOf } from '../../errors.ts'
import type { Logger } from '../../log/log.ts'
import type { SeriesKeys, SeriesLabel } from '../../model/series.ts'
import type {
  ColumnDefinition,
  Database,
  Table,
  TableChange,
  TableColumn,
  TableDefinition,
  TableOptions,
  View
} from '../../model/table.ts'
import { isColumnType } from '../../model/types.ts'
import type { Steps } from '../../pace.ts'
import { serialQueue } from '../../serial.ts'
import type { Catalog, SeriesAddition, SeriesNumbers, TableStatistics, TableStep } from '../engine.ts'
import type { FoundSeries } from '../found-series.ts'
import { changeProblem, isLogical, isPhysical, physicalTableProblem, sharedModes } from '../logical.ts'
import type { Connection } from './connection.ts'
import {
  alterStatements,
  besideName,
  type ColumnComment,
  columnComment,
  columnSql,
  createStatements,
  databaseName,
  indexSql,
  keptFor,
  type Location,
  onCluster,
  sampleColumn,
  type TableComment,
  tableComment,
  tableName,
  ttlSql
} from './definition.ts'
import { quoteName, quoteText, storedColumn, storedName, storedType } from './names.ts'
import type { CatalogRecord, RecordChange, Records } from './records.ts'
import type { KnownSeries } from './series.ts'

/** A column of a logical table, and the column of the physical table that holds its values. */
export interface LogicalColumn extends TableColumn {
  readonly sample?: string
}

interface TableState {
  readonly table: Table
  /** The sorting key, in ClickHouse's syntax. */
  readonly sortedBy: string
  /** Why the table cannot be used: somebody altered it by hand. */
  readonly broken?: string
  readonly emptied?: number | undefined
}

interface DatabaseState {
  database: Database
  tables: Map<string, TableState>
  views: Map<string, View>
}

/** Rows, bytes and parts as the cluster reported them last, and writes since then. */
interface Counts {
  rows: number
  bytes: number
  files: number
  since: number
  inserts: number
}

interface DatabaseRecord {
  readonly id: number
  readonly options: TableOptions
}

interface LogicalRecord {
  readonly id: number
  readonly options: TableOptions
  readonly createdAt: number
}

interface LogicalColumnRecord extends ColumnComment {
  readonly order: number
  readonly sample?: string
  readonly generation: number
  /** It was dropped. Kept so that a new column with the same name and type gets another column of the physical table. */
  readonly dropped?: true
}

interface CatalogDependencies {
  readonly connection: Connection
  readonly records: Records
  readonly location: Location
  readonly hasTextIndex: boolean
  readonly series: KnownSeries
  readonly log: Logger
}

export class ClusterCatalog implements Catalog {
  readonly #parts: CatalogDependencies
  readonly #databases = new Map<string, DatabaseState>()
  readonly #byId = new Map<number, Table>()
  readonly #counts = new Map<string, Counts>()
  /** Tables that were reported to the operator already. */
  readonly #named = new Set<string>()
  readonly #serially = serialQueue()
  #fingerprint: string | undefined

  constructor(parts: CatalogDependencies) {
    this.#parts = parts
  }

  databases(): readonly Database[] {
    return Array.from(this.#databases.values(), ({ database }) => database)
  }

  database(name: string): Database | undefined {
    return this.#databases.get(name)?.database
  }

  tables(database: string): readonly Table[] {
    return Array.from(this.#databases.get(database)?.tables.values() ?? [], ({ table }) => table)
  }

  table(database: string, name: string): Table | undefined {
    return this.#databases.get(database)?.tables.get(name)?.table
  }

  views(database: string): readonly View[] {
    return [...(this.#databases.get(database)?.views.values() ?? [])]
  }

  view(database: string, name: string): View | undefined {
    return this.#databases.get(database)?.views.get(name)
  }

  /** The current version of a table. Throws DbError `TableNotFound` if it is gone, `TableUnavailable` if somebody altered it by hand. */
  current(table: Table): Table {
    const now = this.#byId.get(table.id)
    if (now === undefined) throw new DbError('TableNotFound', `table ${table.database}.${table.name} was dropped`)
    const broken = this.#databases.get(now.database)?.tables.get(now.name)?.broken
    if (broken !== undefined) throw new DbError('TableUnavailable', broken, { retryAfter: 30 })
    return now
  }

  /** A value that changes whenever all rows of a table are removed, if known. */
  emptied({ database, name }: Table): number | undefined {
    return this.#databases.get(database)?.tables.get(name)?.emptied
  }

  /** The physical table of a logical one. */
  physicalTableOf(table: Table): Table {
    const physicalTable = this.table(table.database, table.options.physical_table!)
    if (physicalTable === undefined) {
      throw new DbError(
        'TableUnavailable',
        `the physical table ${table.options.physical_table} of ${table.name} is gone`
      )
    }
    return physicalTable
  }

  keptFor(table: Table): number | undefined {
    const of = isLogical(table) ? this.physicalTableOf(table) : table
    const options = isLogical(table) && table.options.ttl !== undefined ? table.options : of.options
    return keptFor(options, this.database(table.database)?.options ?? {})
  }

  /** Reads everything that changed since the last call. */
  refresh(): Promise<void> {
    return this.#serially(async () => {
      const fingerprint = await this.#readFingerprint()
      if (fingerprint === undefined || fingerprint !== this.#fingerprint) {
        await this.#load()
        this.#fingerprint = fingerprint
      }
      await this.#count()
    })
  }

  /** Every change is in the cluster when the next one begins. */
  durable(): Promise<void> {
    return this.#serially(async () => {})
  }

  createDatabase(name: string, options: TableOptions): Promise<Database> {
    return this.#serially(async () => {
      const { connection, location, records } = this.#parts
      await connection.command(
        `CREATE DATABASE IF NOT EXISTS ${quoteName(databaseName(location, name))}${onCluster(location)}`
      )
      const said: DatabaseRecord = { id: this.database(name)?.id ?? numberOf(name), options }
      await records.write([{ kind: 'database', database: name, name: '', part: '', said }])
      await this.#load({ database: name })
      return this.database(name)!
    })
  }

  changeDatabase(name: string, options: TableOptions): Promise<Database> {
    return this.#serially(async () => {
      const { records } = this.#parts
      const { id } = this.database(name)!
      await records.write([{ kind: 'database', database: name, name: '', part: '', said: { id, options } }])
      await this.#load({ database: name })
      for (const table of this.tables(name)) {
        if (!isLogical(table) && table.options.ttl === undefined) await this.#run(this.#ttlStatements(table))
      }
      return this.database(name)!
    })
  }

  dropDatabase(name: string): Promise<void> {
    return this.#serially(async () => {
      const { connection, location, records, series } = this.#parts
      const known = await records.read({ database: name })
      await connection.command(
        `DROP DATABASE IF EXISTS ${quoteName(databaseName(location, name))}${onCluster(location)} SYNC`
      )
      await records.write(known.map(record => ({ ...record, said: undefined })))
      this.#databases.delete(name)
      this.#index()
      series.forget()
    })
  }

  putView(view: View): Promise<void> {
    return this.#serially(async () => {
      await this.#parts.records.write([
        { kind: 'view', database: view.database, name: view.name, part: '', said: view }
      ])
      this.#databases.get(view.database)?.views.set(view.name, view)
    })
  }

  dropView({ database, name }: View): Promise<void> {
    return this.#serially(async () => {
      await this.#parts.records.write([{ kind: 'view', database, name, part: '', said: undefined }])
      this.#databases.get(database)?.views.delete(name)
    })
  }

  async createTable(definition: TableDefinition): Promise<Table> {
    const [table] = await this.changeTables([{ kind: 'create', definition }])
    return table!
  }

  async changeTable(table: Table, change: TableChange): Promise<Table> {
    const [changed] = await this.changeTables([{ kind: 'change', table, change }])
    return changed!
  }

  changeTables(steps: readonly TableStep[]): Promise<readonly Table[]> {
    return this.#serially(async () => {
      // The cluster has no transactions, so everything that can be checked is checked before the first statement.
      for (const step of steps) if (step.kind === 'change') this.#requireTable(step.table)
      const logical = steps.filter(
        step => step.kind === 'create' && step.definition.options.physical_table !== undefined
      )
      const made = await this.#createLogical(logical.map(step => (step as CreateStep).definition))
      const tables: Table[] = []
      for (const step of steps) {
        if (step.kind === 'change') tables.push(await this.#change(this.#requireTable(step.table), step.change))
        else if (step.definition.options.physical_table !== undefined) tables.push(made.shift()!)
        else tables.push(await this.#create(step.definition))
      }
      return tables
    })
  }

  dropTable(given: Table): Promise<void> {
    return this.#serially(async () => {
      const table = this.#requireTable(given)
      const { connection, location, records, series } = this.#parts
      const { database, name } = table
      if (isLogical(table)) {
        const known = await records.read({ database, name })
        await records.write(
          known
            .filter(({ kind }) => kind === 'table' || kind === 'column')
            .map(record => ({ ...record, said: undefined }))
        )
        const physicalTable = this.physicalTableOf(table)
        for (const what of ['', 'series'] as const)
          await this.#deleteRows(physicalTable, what, `\`table\` = ${table.id}`)
      } else {
        const logical = this.#logicalOf(table)
        if (logical.length > 0) {
          throw new DbError('InvalidArguments', `table ${name} holds ${logical.length} logical tables; drop them first`)
        }
        for (const each of this.#storedTables(table)) {
          await connection.command(`DROP TABLE IF EXISTS ${each}${onCluster(location)} SYNC`)
        }
      }
      this.#databases.get(database)?.tables.delete(name)
      this.#counts.delete(countKey(database, name))
      this.#index()
      series.forget()
    })
  }

  statistics(table: Table): TableStatistics {
    if (isLogical(table)) return { rows: undefined, bytes: 0, files: 0 }
    const { rows, bytes, files, since, inserts } = this.#counts.get(countKey(table.database, table.name)) ?? noCounts
    const series = isPhysical(table) ? this.#parts.series.countOf(table) : undefined
    return { rows: rows + since, bytes, files: files + inserts, ...(series !== undefined && { series }) }
  }

  /** Counts rows written by this process until the cluster is asked again. */
  wrote(table: Table, rows: number): void {
    const key = countKey(table.database, table.name)
    const counts = this.#counts.get(key) ?? { ...noCounts }
    counts.since += rows
    // Each insert creates at least one part.
    counts.inserts++
    this.#counts.set(key, counts)
  }

  findSeries(scope: string, keys: SeriesKeys, table?: string): Steps<SeriesNumbers> {
    return this.#parts.series.find(scope, keys, table)
  }

  addSeries(numbers: SeriesNumbers, additions: readonly SeriesAddition[]): void {
    this.#parts.series.add(numbers as FoundSeries, additions)
  }

  knowsSeries(table: Table, labels: readonly SeriesLabel[]): boolean {
    return isLogical(table) && this.#parts.series.has(this.physicalTableOf(table), table, labels)
  }

  isCurrent(numbers: SeriesNumbers): boolean {
    return this.#parts.series.isCurrent(numbers as FoundSeries)
  }

  /** Asks the cluster for stored rows and parts. */
  count(): Promise<void> {
    return this.#serially(() => this.#count())
  }

  #requireTable({ id, database, name }: Table): Table {
    const found = this.#byId.get(id)
    if (found === undefined) throw new DbError('TableNotFound', `Table not found: ${database}.${name}`)
    return found
  }

  #logicalOf({ database, name }: Table): readonly Table[] {
    return this.tables(database).filter(({ options }) => options.physical_table === name)
  }

  /** The cluster's tables that belong to one table of users. */
  #storedTables(table: Table): string[] {
    const { location } = this.#parts
    const { database, name } = table
    const series = besideName(location, database, name, 'series')
    return [
      tableName(location, database, name),
      ...(location.cluster === '' ? [] : [besideName(location, database, name, 'local')]),
      ...(isPhysical(table) ? [series, ...(location.cluster === '' ? [] : [series.replace(/`$/, '__local`')])] : [])
    ]
  }

  async #run(statements: readonly string[]): Promise<void> {
    const settings = { alter_sync: 2, mutations_sync: 2, materialize_ttl_after_modify: 0 }
    for (const statement of statements) await this.#parts.connection.command(statement, { settings })
  }

  async #deleteRows({ database, name }: Table, what: '' | 'series', where: string): Promise<void> {
    const { location } = this.#parts
    const base = what === '' ? tableName(location, database, name) : besideName(location, database, name, what)
    const local = location.cluster === '' ? base : base.replace(/`$/, '__local`')
    await this.#parts.connection.command(`DELETE FROM ${local}${onCluster(location)} WHERE ${where}`, {
      settings: { lightweight_deletes_sync: 2 }
    })
  }

  async #create(definition: TableDefinition): Promise<Table> {
    const { location, hasTextIndex } = this.#parts
    const { database, name } = definition
    const columns = identifyAll(definition.columns, new Set())
    const table = tableOf({
      ...definition,
      columns,
      id: newId(),
      createdAt: Date.now(),
      version: 1
    })
    const options = this.database(database)?.options ?? {}
    await this.#run(createStatements(table, { location, hasTextIndex, database: options }))
    await this.#load({ database, name })
    return this.#found(database, name)
  }

  #found(database: string, name: string): Table {
    const found = this.table(database, name)
    if (found === undefined) {
      throw new DbError('StorageUnavailable', `table ${database}.${name} is not there after it was made`, {
        retryAfter: 1
      })
    }
    return found
  }

  /** Logical tables are rows of the catalog; all of them are one insert. */
  async #createLogical(definitions: readonly TableDefinition[]): Promise<Table[]> {
    const changes: RecordChange[] = []
    for (const definition of definitions) {
      const { database, name, options } = definition
      const physicalTable = await this.#physicalTableFor(definition)
      const earlier = await this.#parts.records.read({ database, name })
      const there = earlier.find(({ kind }) => kind === 'table')
      if (there === undefined) {
        const generation = await this.#generation(database, name)
        const said: LogicalRecord = { id: logicalId(database, name, generation), options, createdAt: Date.now() }
        changes.push({ kind: 'table', database, name, part: '', said })
      }
      const known = new Set(earlier.filter(({ kind }) => kind === 'column').map(({ part }) => part))
      const added = identifyAll(definition.columns, new Set()).filter(column => !known.has(column.name))
      changes.push(...(await this.#createColumns(physicalTable, database, name, added, known.size, 0)))
    }
    await this.#parts.records.write(changes)
    for (const { database, name } of definitions) {
      if (definitions.length <= 8) await this.#load({ database, name })
    }
    if (definitions.length > 8) await this.#load()
    return definitions.map(({ database, name }) => this.#found(database, name))
  }

  /** How often a logical table of this name was dropped, because a new one needs another number. */
  async #generation(database: string, name: string): Promise<number> {
    const { connection, location } = this.#parts
    const table = `${quoteName(databaseName(location, 'svc_private'))}.${quoteName('__catalog')}`
    const [row] = await connection.rows(
      `SELECT toUInt32(max(version) % 4294967291) AS last FROM ${table} WHERE kind = 'table' AND deleted AND database = ${quoteText(database)} AND name = ${quoteText(name)}`
    )
    return Number(row?.['last'] ?? 0)
  }

  async #physicalTableFor({ database, columns, options }: TableDefinition): Promise<Table> {
    const name = options.physical_table!
    const time = columns.find(({ semantic }) => semantic === 'timestamp')!
    const found = this.table(database, name)
    if (found === undefined) {
      return this.#create({
        database,
        name,
        columns: [time],
        options: { ...sharedModes(options), physical_metric_table: true }
      })
    }
    const problem = physicalTableProblem(found, time, options)
    if (problem !== undefined) throw new DbError('InvalidArguments', `physical_table = ${name}: ${problem}`)
    return found
  }

  /** Records of new columns of a logical table; the physical table gets columns to hold their values. */
  async #createColumns(
    physicalTable: Table,
    database: string,
    table: string,
    columns: readonly TableColumn[],
    order: number,
    generation: number
  ): Promise<RecordChange[]> {
    const { location } = this.#parts
    const changes: RecordChange[] = []
    const commands: string[] = []
    for (const [i, column] of columns.entries()) {
      const { name, type, semantic } = column
      const sample = semantic === 'field' ? sampleColumn(name, type, generation) : undefined
      const said: LogicalColumnRecord = {
        ...(JSON.parse(columnComment(column)) as ColumnComment),
        order: order + i,
        generation,
        ...(sample !== undefined && { sample })
      }
      changes.push({ kind: 'column', database, name: table, part: name, said })
      if (sample === undefined || commands.some(command => command.includes(` ${quoteName(sample)} `))) continue
      const codec = type === 'Float64' ? 'Gorilla, ZSTD(1)' : 'ZSTD(1)'
      commands.push(`ADD COLUMN IF NOT EXISTS ${quoteName(sample)} ${storedType(type, 'field')} CODEC(${codec})`)
    }
    const missing = commands.filter(command => !this.#sampleColumns(physicalTable).has(command))
    await this.#run(alterStatements(location, physicalTable, missing, missing.map(withoutCodec)))
    for (const command of missing) this.#sampleColumns(physicalTable).add(command)
    return changes
  }

  /** Columns known to exist in tables of samples. */
  readonly #samples = new Map<number, Set<string>>()

  #sampleColumns({ id }: Table): Set<string> {
    const known = this.#samples.get(id) ?? new Set()
    this.#samples.set(id, known)
    return known
  }

  async #change(table: Table, change: TableChange): Promise<Table> {
    if (isLogical(table)) await this.#changeLogical(table, change)
    else await this.#changeStored(table, change)
    const name = change.kind === 'rename' ? change.name : table.name
    if (change.kind === 'rename') this.#databases.get(table.database)?.tables.delete(table.name)
    await this.#load({ database: table.database, name })
    if (change.kind !== 'add_columns') this.#parts.series.forget()
    return this.#found(table.database, name)
  }

  async #changeStored(table: Table, change: TableChange): Promise<void> {
    const { location, connection, hasTextIndex } = this.#parts
    const { database } = table
    switch (change.kind) {
      case 'add_columns':
        return this.#addColumns(table, change.columns, change.order)
      case 'drop_column': {
        const column = columnNamed(table, change.name)
        if (column.semantic !== 'field') throw fixedKey(table, column, 'dropped')
        const gone = [column.physical, ...(column.was ?? []).map(({ physical }) => physical)]
        const index = indexSql(column, hasTextIndex) === undefined ? [] : [dropIndex(column)]
        const drops = gone.map(name => `DROP COLUMN IF EXISTS ${quoteName(name)}`)
        return this.#run(alterStatements(location, table, [...index, ...drops], drops))
      }
      case 'modify_column':
        return this.#modifyColumn(table, columnNamed(table, change.name), change)
      case 'rename': {
        const renamed = { ...table, name: change.name }
        const from = this.#storedTables(table)
        const to = this.#storedTables(renamed)
        const pairs = from.map((name, i) => `${name} TO ${to[i]}`)
        await connection.command(`RENAME TABLE ${pairs.join(', ')}${onCluster(location)}`)
        for (const logical of this.#logicalOf(table)) {
          await this.#writeLogical({ ...logical, options: { ...logical.options, physical_table: change.name } })
        }
        return this.#run(this.#commentStatements(renamed))
      }
      case 'set_options': {
        const problem = changeProblem(table, change.options) ?? engineProblem(table, change)
        if (problem !== undefined) throw new DbError('InvalidArguments', `table ${table.name}: ${problem}`)
        const options = { ...table.options, ...change.options } as Record<string, unknown>
        for (const key of change.unset ?? []) delete options[key]
        const changed = { ...table, options: options as TableOptions }
        return this.#run([...this.#commentStatements(changed), ...this.#ttlStatements(changed)])
      }
      case 'truncate': {
        const logical = this.#logicalOf(table)
        if (logical.length > 0) {
          throw new DbError(
            'InvalidArguments',
            `table ${table.name} holds ${logical.length} logical tables: truncate those`
          )
        }
        for (const name of this.#storedTables(table)) {
          await connection.command(`TRUNCATE TABLE ${name}${onCluster(location)} SYNC`)
        }
        this.#counts.delete(countKey(database, table.name))
        return this.#run(this.#commentStatements(table, Date.now()))
      }
    }
  }

  #commentStatements(table: Table, emptied?: number): string[] {
    return alterStatements(this.#parts.location, table, [`MODIFY COMMENT ${quoteText(tableComment(table, emptied))}`])
  }

  #ttlStatements(table: Table): string[] {
    const { location } = this.#parts
    const kept = keptFor(table.options, this.database(table.database)?.options ?? {})
    const time = isPhysical(table) ? 'time' : table.timeIndex.physical
    const command = kept === undefined ? 'REMOVE TTL' : `MODIFY TTL ${ttlSql(time, kept)}`
    const had = this.#databases.get(table.database)?.tables.get(table.name)
    // There is nothing to remove.
    if (kept === undefined && had !== undefined && !this.#hasTtl.has(table.id)) return []
    if (kept === undefined) this.#hasTtl.delete(table.id)
    else this.#hasTtl.add(table.id)
    return alterStatements(location, table, [command], [])
  }

  /** Numbers of tables with a TTL in the cluster. */
  readonly #hasTtl = new Set<number>()

  async #addColumns(table: Table, added: readonly ColumnDefinition[], order?: readonly string[]): Promise<void> {
    const { location, hasTextIndex } = this.#parts
    const taken = new Set(table.columns.flatMap(({ physical, was }) => [physical, ...(was ?? []).map(w => w.physical)]))
    const fresh = added.filter(({ name, type, semantic }) => {
      const there = table.columns.find(column => column.name === name)
      // Another process may have added the same column since the caller looked.
      if (there === undefined || (there.type === type && there.semantic === semantic)) return there === undefined
      throw new DbError('TableColumnExists', `column ${name} of table ${table.name} exists already, as ${there.type}`)
    })
    if (fresh.length === 0) return
    const columns = identifyAll(fresh, taken)
    const physicalOf = new Map([...table.columns, ...columns].map(({ name, physical }) => [name, physical]))
    const commands = columns.flatMap(column => {
      const before = order === undefined ? undefined : order[order.indexOf(column.name) - 1]
      const at =
        order === undefined ? '' : before === undefined ? ' FIRST' : ` AFTER ${quoteName(physicalOf.get(before)!)}`
      const index = indexSql(column, hasTextIndex)
      return [
        `ADD COLUMN IF NOT EXISTS ${columnSql(column)}${at}`,
        ...(index === undefined ? [] : [`ADD INDEX IF NOT EXISTS ${index}`])
      ]
    })
    const tags = columns.filter(({ semantic }) => semantic === 'tag').map(({ physical }) => quoteName(physical))
    const { sortedBy } = this.#databases.get(table.database)!.tables.get(table.name)!
    const key = tags.length === 0 ? [] : [`MODIFY ORDER BY (${[sortedBy, ...tags].join(', ')})`]
    const above = commands.filter(command => !command.startsWith('ADD INDEX')).map(withoutCodec)
    await this.#run(alterStatements(location, table, [...commands, ...key], above))
  }

  async #modifyColumn(
    table: Table,
    column: TableColumn,
    { definition, keepValues }: Extract<TableChange, { kind: 'modify_column' }>
  ): Promise<void> {
    const { location, hasTextIndex } = this.#parts
    const { id, physical, was, initial } = column
    if (definition.type === column.type) {
      const { initial: _, ...rest } = definition
      const changed: TableColumn = {
        ...rest,
        id,
        physical,
        ...(was && { was }),
        ...(initial !== undefined && { initial })
      }
      const index = indexSql(changed, hasTextIndex)
      const comment = `COMMENT COLUMN ${quoteName(physical)} ${quoteText(columnComment(changed))}`
      const indexes = [
        ...(indexSql(column, hasTextIndex) === undefined ? [] : [dropIndex(column)]),
        ...(index === undefined ? [] : [`ADD INDEX ${index}`])
      ]
      return this.#run([
        ...alterStatements(location, table, [comment]),
        ...indexes.flatMap(each => alterStatements(location, table, [each], []))
      ])
    }
    if (column.semantic !== 'field') throw fixedKey(table, column, 'given another type')
    const nextId = newColumnId()
    const kept = keepValues && definition.type === 'Json' ? ({ kept: true } as const) : {}
    const former = { id, physical, type: column.type, ...kept }
    const changed: TableColumn = {
      ...definition,
      id: nextId,
      physical: `${storedColumn(definition.name)}~${nextId}`,
      was: [former, ...(was ?? [])]
    }
    const command = `ADD COLUMN ${columnSql(changed)} AFTER ${quoteName(physical)}`
    const index = indexSql(changed, hasTextIndex)
    const indexes = index === undefined ? [] : [`ADD INDEX ${index}`]
    await this.#run(alterStatements(location, table, [command, ...indexes], [withoutCodec(command)]))
  }

  async #changeLogical(table: Table, change: TableChange): Promise<void> {
    const { records } = this.#parts
    const { database, name } = table
    const known = await records.read({ database, name })
    const columnRecord = (part: string) =>
      known.find(record => record.kind === 'column' && record.part === part)?.said as LogicalColumnRecord | undefined
    const physicalTable = this.physicalTableOf(table)
    switch (change.kind) {
      case 'add_columns': {
        const changes: RecordChange[] = []
        for (const [i, column] of identifyAll(change.columns, new Set()).entries()) {
          const before = columnRecord(column.name)
          if (before !== undefined && before.dropped !== true) continue
          const generation = before === undefined ? 0 : before.generation + 1
          changes.push(
            ...(await this.#createColumns(physicalTable, database, name, [column], known.length + i, generation))
          )
        }
        const orders = new Map(change.order?.map((each, i) => [each, i]))
        const reordered = known.flatMap(record => {
          const order = record.kind === 'column' ? orders.get(record.part) : undefined
          return order === undefined ? [] : [{ ...record, said: { ...(record.said as object), order } }]
        })
        const ordered = changes.map(each => {
          const order = orders.get(each.part)
          return order === undefined ? each : { ...each, said: { ...(each.said as object), order } }
        })
        return records.write([...reordered, ...ordered])
      }
      case 'drop_column': {
        const said = columnRecord(change.name)!
        return records.write([{ kind: 'column', database, name, part: change.name, said: { ...said, dropped: true } }])
      }
      case 'modify_column': {
        const said = columnRecord(change.name)!
        const column = columnNamed(table, change.name)
        if (said.type !== change.definition.type) {
          throw new DbError(
            'Unsupported',
            `column ${column.name} of table ${name} lies in a physical table: its type cannot be changed with this storage engine`
          )
        }
        const { initial: _, ...rest } = change.definition
        const changed: LogicalColumnRecord = {
          ...said,
          ...(JSON.parse(columnComment({ ...rest, id: column.id, physical: rest.name })) as object)
        }
        return records.write([{ kind: 'column', database, name, part: change.name, said: changed }])
      }
      case 'rename':
        return records.write([
          ...known.map(record => ({ ...record, said: undefined })),
          ...known.map(record => ({ ...record, name: change.name }))
        ])
      case 'set_options': {
        const problem = changeProblem(table, change.options)
        if (problem !== undefined) throw new DbError('InvalidArguments', `table ${name}: ${problem}`)
        const options = { ...table.options, ...change.options } as Record<string, unknown>
        for (const key of change.unset ?? []) delete options[key]
        return this.#writeLogical({ ...table, options: options as TableOptions })
      }
      case 'truncate':
        // Keeps its series, because other processes know them and would write samples only.
        return this.#deleteRows(physicalTable, '', `\`table\` = ${table.id}`)
    }
  }

  #writeLogical({ database, name, id, options, createdAt }: Table): Promise<void> {
    const said: LogicalRecord = { id, options, createdAt }
    return this.#parts.records.write([{ kind: 'table', database, name, part: '', said }])
  }

  /** A value that changes with each change of any process; undefined if the last change may be within the current second. */
  async #readFingerprint(): Promise<string | undefined> {
    const { connection, location } = this.#parts
    const records = `${quoteName(databaseName(location, 'svc_private'))}.${quoteName('__catalog')}`
    const [row] = await connection.rows(
      `SELECT toString(sum(sipHash64(database, name, uuid, metadata_modification_time))) AS tables, max(metadata_modification_time) > now() - 3 AS fresh, toString((SELECT (count(), max(version)) FROM ${records})) AS records FROM system.tables WHERE startsWith(database, ${quoteText(location.prefix)})`
    )
    return row?.['fresh'] === 1 ? undefined : `${row?.['tables']} ${row?.['records']}`
  }

  /** Reads everything, or what belongs to one database, or to one name in it. */
  async #load(only?: { readonly database: string; readonly name?: string }): Promise<void> {
    const { connection, records, location } = this.#parts
    const stored = only && databaseName(location, only.database)
    const table = only?.name === undefined ? undefined : storedName('table', only.name)
    const where = (name: string) =>
      [
        stored === undefined
          ? `startsWith(database, ${quoteText(location.prefix)})`
          : `database = ${quoteText(stored)}`,
        ...(table === undefined ? [] : [`${name} = ${quoteText(table)}`])
      ].join(' AND ')
    const known = await records.read(only)
    const tables = await connection.rows(
      `SELECT database, name, comment, sorting_key, engine_full LIKE '% TTL %' AS expires FROM system.tables WHERE ${where('name')} AND startsWith(comment, '{"weir":1')`
    )
    const columns = await connection.rows(
      `SELECT database, table, name, type, comment FROM system.columns WHERE ${where('table')} AND table IN (SELECT name FROM system.tables WHERE ${where('name')} AND startsWith(comment, '{"weir":1')) ORDER BY database, table, position`
    )
    this.#take(known, tables as unknown as TableRow[], columns as unknown as ColumnRow[], only)
  }

  #take(
    records: readonly CatalogRecord[],
    tables: readonly TableRow[],
    columns: readonly ColumnRow[],
    only: { readonly database: string; readonly name?: string } | undefined
  ): void {
    const { location } = this.#parts
    if (only?.name === undefined) {
      for (const { kind, database, said } of records) {
        if (kind === 'database') this.#takeDatabase(database, said as DatabaseRecord)
      }
      const there = new Set(records.flatMap(({ kind, database }) => (kind === 'database' ? [database] : [])))
      if (only === undefined)
        for (const name of this.#databases.keys()) if (!there.has(name)) this.#databases.delete(name)
    }
    const columnsOf = Map.groupBy(columns, ({ database, table }) => `${database}\0${table}`)
    const recordsOf = Map.groupBy(records, ({ database, name }) => `${database}\0${name}`)
    for (const state of this.#databases.values()) {
      const { name } = state.database
      if (only !== undefined && only.database !== name) continue
      const stored = databaseName(location, name)
      const found = new Map<string, TableState>()
      for (const row of tables) {
        if (row.database !== stored) continue
        const table = this.#readTable(name, row, columnsOf.get(`${stored}\0${row.name}`) ?? [])
        if (table !== undefined) found.set(table.table.name, table)
        if (table !== undefined && Number(row.expires) !== 0) this.#hasTtl.add(table.table.id)
      }
      const views = new Map<string, View>()
      for (const [key, group] of recordsOf) {
        if (!key.startsWith(`${name}\0`)) continue
        const view = group.find(({ kind }) => kind === 'view')
        if (view !== undefined) views.set(view.name, view.said as View)
        const logical = readLogical(name, group)
        if (logical !== undefined) found.set(logical.name, { table: logical, sortedBy: '' })
      }
      this.#replace(state, found, views, only?.name)
    }
    this.#index()
  }

  #takeDatabase(name: string, { id, options }: DatabaseRecord): void {
    const state = this.#databases.get(name)
    const database = { id, name, options }
    if (state === undefined) this.#databases.set(name, { database, tables: new Map(), views: new Map() })
    else state.database = database
  }

  /** Objects that did not change are kept. */
  #replace(
    state: DatabaseState,
    found: Map<string, TableState>,
    views: Map<string, View>,
    only: string | undefined
  ): void {
    const same = (now: TableState): TableState => {
      const before = [...state.tables.values()].find(({ table }) => table.id === now.table.id)
      if (before === undefined) return now
      const { version: _, ...was } = before.table
      const { version: __, ...is } = now.table
      if (JSON.stringify(was) === JSON.stringify(is) && before.broken === now.broken)
        return { ...now, table: before.table }
      return { ...now, table: { ...now.table, version: before.table.version + 1 } }
    }
    const next = Array.from(found, ([name, each]) => [name, same(each)] as const)
    if (only === undefined) {
      state.tables = new Map(next)
      state.views = views
      return
    }
    if (next.length === 0) state.tables.delete(only)
    for (const [name, each] of next) state.tables.set(name, each)
    const view = views.get(only)
    if (view !== undefined) state.views.set(only, view)
  }

  /** Indexes tables by number; physical ones have the tags of all their logical ones. */
  #index(): void {
    this.#byId.clear()
    for (const { tables } of this.#databases.values()) {
      const tagsOf = new Map<string, Map<string, TableColumn>>()
      for (const { table } of tables.values()) {
        const physicalTable = table.options.physical_table
        if (physicalTable === undefined) continue
        const tags = tagsOf.get(physicalTable) ?? new Map<string, TableColumn>()
        for (const tag of table.tags) if (!tags.has(tag.name)) tags.set(tag.name, tag)
        tagsOf.set(physicalTable, tags)
      }
      for (const [name, state] of tables) {
        if (isPhysical(state.table)) {
          const tags = [...(tagsOf.get(name)?.values() ?? [])]
          if (tags.length !== state.table.tags.length) {
            const columns = [state.table.timeIndex, ...tags]
            tables.set(name, { ...state, table: { ...state.table, columns, tags } })
          }
        }
        const { table } = tables.get(name)!
        this.#byId.set(table.id, table)
      }
    }
  }

  #readTable(database: string, row: TableRow, columns: readonly ColumnRow[]): TableState | undefined {
    let said: TableComment
    try {
      said = JSON.parse(row.comment) as TableComment
    } catch {
      return undefined
    }
    const name = said.name ?? row.name
    const problems: string[] = []
    const read: TableColumn[] = []
    for (const column of columns) {
      const comment = readComment(column.comment)
      if (comment === undefined) continue
      const expected = storedType(comment.type, comment.semantic)
      if (column.type !== expected) {
        problems.push(`column ${column.name} is ${column.type} there, not ${expected}`)
      }
      read.push({ ...comment, name: comment.name ?? column.name, physical: column.name })
    }
    const former = new Set(read.flatMap(({ was }) => (was ?? []).map(({ physical }) => physical)))
    const shown = read.filter(({ physical }) => !former.has(physical))
    if (!shown.some(({ semantic }) => semantic === 'timestamp')) problems.push('it has no time index')
    const { id, options, createdAt } = said
    if (problems.length > 0) {
      const broken = `table ${database}.${name} was altered in the cluster: ${problems.join('; ')}`
      if (!this.#named.has(broken)) this.#parts.log.error(broken)
      this.#named.add(broken)
      const time: TableColumn = {
        id: 0,
        name: 'time',
        physical: 'time',
        type: 'TimestampMillisecond',
        semantic: 'timestamp',
        nullable: false
      }
      const whole = shown.some(({ semantic }) => semantic === 'timestamp') ? shown : [time, ...shown]
      return {
        table: tableOf({ id, database, name, columns: whole, options, createdAt, version: 1 }),
        sortedBy: row.sorting_key,
        broken
      }
    }
    return {
      table: tableOf({ id, database, name, columns: shown, options, createdAt, version: 1 }),
      sortedBy: row.sorting_key,
      emptied: said.emptied
    }
  }

  async #count(): Promise<void> {
    const { connection, location, series } = this.#parts
    const from =
      location.cluster === '' ? 'system.parts' : `clusterAllReplicas(${quoteText(location.cluster)}, system.parts)`
    const written = new Map(Array.from(this.#counts, ([key, { since }]) => [key, since]))
    const rows = await connection.rows(
      `SELECT database, table, sum(rows) AS rows, sum(bytes_on_disk) AS bytes, count() AS files FROM ${from} WHERE active AND startsWith(database, ${quoteText(location.prefix)}) GROUP BY database, table`
    )
    const found = new Map(rows.map(row => [`${row['database']}\0${row['table']}`, row]))
    const end = location.cluster === '' ? '' : '__local'
    for (const [database, { tables }] of this.#databases) {
      for (const { table } of tables.values()) {
        if (isLogical(table)) continue
        const row = found.get(`${databaseName(location, database)}\0${storedName('table', table.name)}${end}`)
        const key = countKey(database, table.name)
        const since = (this.#counts.get(key)?.since ?? 0) - (written.get(key) ?? 0)
        const [count, bytes, files] = ['rows', 'bytes', 'files'].map(name => Number(row?.[name] ?? 0)) as [
          number,
          number,
          number
        ]
        this.#counts.set(key, { rows: count, bytes, files, since, inserts: 0 })
        if (isPhysical(table)) await series.load(table)
      }
    }
  }
}

type CreateStep = Extract<TableStep, { kind: 'create' }>

interface TableRow {
  readonly database: string
  readonly name: string
  readonly comment: string
  readonly sorting_key: string
  readonly expires: number
}

interface ColumnRow {
  readonly database: string
  readonly table: string
  readonly name: string
  readonly type: string
  readonly comment: string
}

const noCounts: Readonly<Counts> = { rows: 0, bytes: 0, files: 0, since: 0, inserts: 0 }

function countKey(database: string, name: string): string {
  return `${database}\0${name}`
}

function tableOf(table: Omit<Table, 'timeIndex' | 'tags'>): Table {
  const { columns } = table
  const timeIndex = columns.find(({ semantic }) => semantic === 'timestamp')!
  return { ...table, timeIndex, tags: columns.filter(({ semantic }) => semantic === 'tag') }
}

function readLogical(database: string, records: readonly CatalogRecord[]): Table | undefined {
  const table = records.find(({ kind }) => kind === 'table')
  if (table === undefined) return undefined
  const { id, options, createdAt } = table.said as LogicalRecord
  const columns = records
    .filter(({ kind, said }) => kind === 'column' && (said as LogicalColumnRecord).dropped !== true)
    .sort(
      (a, b) =>
        (a.said as LogicalColumnRecord).order - (b.said as LogicalColumnRecord).order || (a.part < b.part ? -1 : 1)
    )
    .map(({ part, said }): LogicalColumn => {
      const { order: _, generation: __, ...comment } = said as LogicalColumnRecord
      return { ...comment, name: part, physical: storedColumn(part) } as LogicalColumn
    })
  if (!columns.some(({ semantic }) => semantic === 'timestamp')) return undefined
  return tableOf({ id, database, name: table.name, columns, options, createdAt, version: 1 })
}

function readComment(text: string): ColumnComment | undefined {
  if (!text.startsWith('{')) return undefined
  try {
    const said = JSON.parse(text) as Partial<ColumnComment>
    return isColumnType(said.type) && said.semantic !== undefined && said.id !== undefined
      ? (said as ColumnComment)
      : undefined
  } catch (error) {
    throw new DbError('TableUnavailable', `a column's comment is not JSON any more: ${reasonOf(error)}`)
  }
}

function identifyAll(columns: readonly ColumnDefinition[], taken: ReadonlySet<string>): TableColumn[] {
  return columns.map(column => {
    const id = newColumnId()
    const own = storedColumn(column.name)
    return { ...column, id, physical: taken.has(own) ? `${own}~${id}` : own }
  })
}

function columnNamed(table: Table, name: string): TableColumn {
  const column = table.columns.find(each => each.name === name)
  if (column === undefined) throw new DbError('TableColumnNotFound', `table ${table.name} has no column ${name}`)
  return column
}

function fixedKey({ name }: Table, column: TableColumn, what: string): DbError {
  return new DbError(
    'Unsupported',
    `column ${column.name} of table ${name} is part of what its rows are sorted by: it cannot be ${what} with this storage engine`
  )
}

/** Options that are table engines in the cluster cannot be changed. */
function engineProblem(
  { options }: Table,
  change: { readonly options: TableOptions; readonly unset?: readonly (keyof TableOptions)[] }
): string | undefined {
  const after: TableOptions = { ...options, ...change.options }
  const left = (key: 'append_mode' | 'merge_mode') => (change.unset?.includes(key) ? undefined : after[key])
  const kind = (append: unknown, merge: unknown) => (append ? 'append' : (merge ?? 'last_row'))
  if (kind(left('append_mode'), left('merge_mode')) === kind(options.append_mode, options.merge_mode)) return undefined
  return 'append_mode and merge_mode are decided when a table is made with this storage engine'
}

function dropIndex({ physical }: TableColumn): string {
  return `DROP INDEX IF EXISTS ${quoteName(`${physical}__index`)}`
}

function withoutCodec(command: string): string {
  return command.replace(/ CODEC\((?:[^()]|\([^()]*\))*\)/, '')
}

function newId(): number {
  return randomInt(1, 2 ** 47)
}

function newColumnId(): number {
  return randomInt(1, 2 ** 31)
}

/** Deterministic, so that processes that create the same logical table at the same time use the same number. */
function logicalId(database: string, name: string, generation: number): number {
  return numberOf(`${database}\0${name}\0${generation}`)
}

function numberOf(text: string): number {
  return createHash('sha256').update(text).digest().readUIntBE(0, 6)
}
