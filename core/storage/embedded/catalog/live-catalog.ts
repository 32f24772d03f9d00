// The catalog as the rest of the server sees it: SQLite behind it, and what a change means for rows in memory and files.
import { DbError } from '../../../errors.ts'
import type { Table, TableChange } from '../../../model/table.ts'
import type { Catalog } from '../../engine.ts'
import type { FoundSeries } from '../../found-series.ts'
import { isLogical, isPhysical } from '../../logical.ts'
import type { EngineState, Writable } from '../engine-state.ts'
import type { FilePins } from '../file/file-pins.ts'
import { overlapping } from '../read/plan.ts'

/** How often hidden rows are removed before a table that is written to meanwhile is given up. */
const maxAttempts = 5

/** `opened` and `writable` give what is open at the moment of a call, or throw; one catalog outlives what is open. */
export function createLiveCatalog(opened: () => EngineState, writable: () => Writable, pins: FilePins): Catalog {
  /** Takes tables out of the catalog, then out of memory and off the disk. */
  const remove = (gone: readonly Table[], forget: () => void) => {
    const { sqlite, tables, writer } = writable()
    return writer.flusher.afterFlushes(async () => {
      const paths = gone.flatMap(table => sqlite.files(table).map(file => file.path))
      forget()
      tables.known.forget()
      for (const table of gone) tables.drop(table)
      await pins.remove(paths)
    })
  }
  /** Rows still on their way into memory come after it. */
  const truncate = (table: Table) => {
    const { sqlite, tables, writer } = writable()
    return writer.flusher.afterFlushes(async () => {
      const paths = sqlite.files(table).map(file => file.path)
      const data = tables.find(table)
      const unsaved = data?.unsavedSeries()
      const changed = sqlite.changeTable(table, { kind: 'truncate' })
      const flushed = { table: changed, file: undefined, series: unsaved?.series ?? [], flushedSeq: tables.appliedSeq }
      sqlite.addFiles([flushed])
      unsaved?.saved()
      tables.clear(changed)
      await pins.remove(paths)
      return changed
    })
  }
  const change = (table: Table, change: TableChange) => {
    const { sqlite, tables } = writable()
    const changed = sqlite.changeTable(table, change)
    if (change.kind !== 'add_columns') tables.known.forget()
    tables.find(changed)?.become(sqlite.physicalTable(changed))
    return changed
  }
  /** From now on every row shows: those that are hidden must be gone before. */
  const keepAll = async (table: Table, options: TableChange) => {
    const { sqlite, tables, writer } = writable()
    const { flusher, compactor } = writer
    for (let attempt = 0; attempt < maxAttempts; attempt++) {
      await flusher.flush(table)
      await compactor.settle(table)
      const current = sqlite.tableById(table.id)
      if (current === undefined) break
      const memtables = tables.find(current)?.memtables ?? []
      if (overlapping({ table: current, files: sqlite.files(current), memtables }).length === 0)
        return change(current, options)
    }
    const reason = `rows are written to table ${table.name} faster than those they hide can be removed`
    throw new DbError('StorageUnavailable', `${reason}; stop writing to it for a moment`, { retryAfter: 5 })
  }
  return {
    databases: () => opened().sqlite.databases(),
    database: name => opened().sqlite.database(name),
    tables: database => opened().sqlite.tables(database),
    table: (database, name) => opened().sqlite.table(database, name),
    createDatabase: async (name, options) => writable().sqlite.createDatabase(name, options),
    changeDatabase: async (name, options) => writable().sqlite.changeDatabase(name, options),
    views: database => opened().sqlite.views(database),
    view: (database, name) => opened().sqlite.view(database, name),
    putView: async view => writable().sqlite.putView(view),
    dropView: async view => writable().sqlite.dropView(view),
    dropDatabase: async name => {
      const { sqlite } = writable()
      await remove(sqlite.tables(name), () => sqlite.dropDatabase(name))
    },
    createTable: async definition => {
      const { sqlite, tables } = writable()
      const table = sqlite.createTable(definition)
      tables.find(table)?.become(sqlite.physicalTable(table))
      return table
    },
    changeTable: async (table, wanted) => {
      if (wanted.kind === 'truncate' && !isLogical(table)) return truncate(table)
      const append = wanted.kind === 'set_options' && wanted.options.append_mode === true
      const hasFiles = !isLogical(table) && !isPhysical(table)
      return append && hasFiles && !table.options.append_mode ? keepAll(table, wanted) : change(table, wanted)
    },
    changeTables: async steps => {
      const { sqlite, tables } = writable()
      const changed = sqlite.changeTables(steps)
      if (steps.some(step => step.kind === 'change' && step.change.kind !== 'add_columns')) tables.known.forget()
      for (const physical of new Set(changed.map(table => sqlite.physicalTable(table))))
        tables.find(physical)?.become(physical)
      return changed
    },
    dropTable: async table => {
      const { sqlite } = writable()
      await remove([table], () => sqlite.dropTable(table))
    },
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
