// The catalog as the rest of the server sees it: SQLite, and the effects of changes on rows in memory and on files.
import { DbError } from '../../../errors.ts'
import type { Table, TableChange } from '../../../model/table.ts'
import { Pace } from '../../../pace.ts'
import type { Catalog } from '../../engine.ts'
import type { FoundSeries } from '../../found-series.ts'
import { isLogical, isPhysical } from '../../logical.ts'
import type { EngineState, Writable } from '../engine-state.ts'
import type { FilePins } from '../file/file-pins.ts'
import { overlapping } from '../read/plan.ts'
import type { EmbeddedCatalog } from './catalog.ts'
import { hasSeries } from './logical.ts'

/** How often hidden rows are removed before a table that is written to meanwhile is given up. */
const maxAttempts = 5

/** Series, and tables with their columns, that are removed without a pause. */
const [seriesAtOnce, tablesAtOnce, columnsAtOnce] = [5_000, 250, 2_500]

function partsOf(tables: readonly Table[]): Table[][] {
  const parts: Table[][] = []
  let columns = 0
  for (const table of tables) {
    columns += table.columns.length
    const last = parts.at(-1)
    if (last !== undefined && last.length < tablesAtOnce && columns <= columnsAtOnce) last.push(table)
    else {
      parts.push([table])
      columns = table.columns.length
    }
  }
  return parts
}

/** `opened` and `writable` return the engine's present state or throw; the catalog outlives single states. */
export function createLiveCatalog(opened: () => EngineState, writable: () => Writable, pins: FilePins): Catalog {
  /** Changes the catalog, and the tables in memory accordingly, in one step. Resolves when the change is on the disk. */
  const change = async <T>(work: (now: Writable) => T): Promise<T> => {
    await writable().sqlite.ready()
    const now = writable()
    const result = work(now)
    await now.sqlite.durable()
    return result
  }
  /** Takes tables out of the catalog, then out of memory and off the disk. A running flush skips removed tables. */
  const remove = async (tablesOf: () => readonly Table[], forget: (sqlite: EmbeddedCatalog) => void) => {
    const { gone, paths } = await change(({ sqlite, tables }) => {
      const gone = tablesOf()
      const paths = gone.flatMap(table => sqlite.files(table).map(file => file.path))
      forget(sqlite)
      tables.known.forget()
      for (const table of gone) tables.drop(table)
      return { gone, paths }
    })
    await removeSeries(gone.filter(hasSeries).map(({ id }) => id))
    await pins.remove(paths)
  }
  /** In parts: a table may have had millions. Those that a crash leaves are removed at the next start. */
  const removeSeries = async (ids: readonly number[]) => {
    const pace = new Pace()
    for (let left = ids; left.length > 0; ) {
      await pace.pause()
      await writable().sqlite.ready()
      left = writable().sqlite.removeSeries(left, seriesAtOnce)
    }
  }
  /** In parts, the last of which goes with the database. Physical tables come after the logical ones that they hold. */
  const dropDatabase = async (name: string) => {
    const all = writable().sqlite.tables(name)
    const ordered = [...all.filter(table => !isPhysical(table)), ...all.filter(isPhysical)]
    for (const part of partsOf(ordered).slice(0, -1)) {
      const left = () => part.filter(({ id }) => writable().sqlite.tableById(id) !== undefined)
      await remove(left, sqlite => sqlite.dropTables(left()))
    }
    await remove(
      () => writable().sqlite.tables(name),
      sqlite => sqlite.dropDatabase(name)
    )
  }
  /** Rows still on their way into memory stay. A running flush skips removed rows. */
  const truncate = async (table: Table) => {
    const { paths, changed } = await change(({ sqlite, tables }) => {
      const paths = sqlite.files(table).map(file => file.path)
      const data = tables.find(table)
      const unsaved = data?.unsavedSeries()
      const changed = sqlite.changeTable(table, { kind: 'truncate' })
      const flushed = { table: changed, file: undefined, series: unsaved?.series ?? [], flushedSeq: tables.appliedSeq }
      sqlite.addFiles([flushed])
      unsaved?.saved()
      tables.clear(changed)
      return { paths, changed }
    })
    await pins.remove(paths)
    return changed
  }
  const changeTable = ({ sqlite, tables }: Writable, table: Table, wanted: TableChange) => {
    const changed = sqlite.changeTable(table, wanted)
    if (wanted.kind !== 'add_columns') tables.known.forget()
    tables.find(changed)?.become(sqlite.physicalTable(changed))
    return changed
  }
  /** For `append_mode`, in which every row shows: hidden rows are removed first. */
  const keepAll = async (table: Table, options: TableChange) => {
    const { flusher, compactor } = writable().writer
    for (let attempt = 0; attempt < maxAttempts; attempt++) {
      await flusher.flush(table)
      await compactor.mergeOverlapping(table)
      const changed = await change(now => {
        const current = now.sqlite.tableById(table.id)
        if (current === undefined) return 'gone'
        const memtables = now.tables.find(current)?.memtables ?? []
        const hidden = overlapping({ table: current, files: now.sqlite.files(current), memtables })
        return hidden.length === 0 ? changeTable(now, current, options) : 'hidden'
      })
      if (typeof changed === 'object') return changed
      if (changed === 'gone') break
    }
    const reason = `rows are written to table ${table.name} faster than those they hide can be removed`
    throw new DbError('StorageUnavailable', `${reason}; stop writing to it for a moment`, { retryAfter: 5 })
  }
  return {
    databases: () => opened().sqlite.databases(),
    database: name => opened().sqlite.database(name),
    tables: database => opened().sqlite.tables(database),
    table: (database, name) => opened().sqlite.table(database, name),
    createDatabase: (name, options) => change(({ sqlite }) => sqlite.createDatabase(name, options)),
    changeDatabase: (name, options) => change(({ sqlite }) => sqlite.changeDatabase(name, options)),
    views: database => opened().sqlite.views(database),
    view: (database, name) => opened().sqlite.view(database, name),
    putView: view => change(({ sqlite }) => sqlite.putView(view)),
    dropView: view => change(({ sqlite }) => sqlite.dropView(view)),
    dropDatabase,
    createTable: definition =>
      change(({ sqlite, tables }) => {
        const table = sqlite.createTable(definition)
        tables.find(table)?.become(sqlite.physicalTable(table))
        return table
      }),
    changeTable: async (table, wanted) => {
      if (wanted.kind === 'truncate' && !isLogical(table)) return truncate(table)
      const append = wanted.kind === 'set_options' && wanted.options.append_mode === true
      const hasFiles = !isLogical(table) && !isPhysical(table)
      if (append && hasFiles && !table.options.append_mode) return keepAll(table, wanted)
      return change(now => changeTable(now, table, wanted))
    },
    changeTables: steps =>
      change(({ sqlite, tables }) => {
        const changed = sqlite.changeTables(steps)
        if (steps.some(step => step.kind === 'change' && step.change.kind !== 'add_columns')) tables.known.forget()
        for (const physical of new Set(changed.map(table => sqlite.physicalTable(table))))
          tables.find(physical)?.become(physical)
        return changed
      }),
    dropTable: async table =>
      remove(
        () => [table],
        sqlite => sqlite.dropTables([table])
      ),
    durable: async () => opened().sqlite.durable(),
    // The folder belongs to this process.
    refresh: async () => {},
    statistics: table => {
      if (isLogical(table)) return { rows: undefined, bytes: 0, files: 0 }
      const { sqlite, tables } = opened()
      const files = sqlite.files(table)
      const memtables = tables.find(table)?.memtables ?? []
      const bytes = files.reduce((sum, file) => sum + file.bytes, 0)
      const rows = [...files, ...memtables].reduce((sum, item) => sum + item.rows, 0)
      const series = tables.find(table)?.seriesCount
      return { rows, bytes, files: files.length, ...(series !== undefined && { series }) }
    },
    findSeries: (scope, keys, table) => writable().tables.known.find(scope, keys, table),
    addSeries: (numbers, additions) => writable().tables.known.add(numbers as FoundSeries, additions),
    knowsSeries: (table, labels) => writable().tables.known.has(table, labels),
    isCurrent: numbers => writable().tables.known.isCurrent(numbers as FoundSeries)
  }
}
