// Background care of data files: small ones are merged, overwritten and deleted rows dropped, expired files removed.
import { join } from 'node:path'
import { DbError, withMessage } from '../../../errors.ts'
import type { Logger } from '../../../log/log.ts'
import type { Table } from '../../../model/table.ts'
import { serialQueue } from '../../../serial.ts'
import type { Tracing } from '../../../trace/trace.ts'
import type { Report } from '../../engine.ts'
import { isLogical } from '../../logical.ts'
import type { EmbeddedCatalog } from '../catalog/catalog.ts'
import type { DataFile } from '../catalog/catalog-rows.ts'
import type { Duckdb } from '../duckdb/index.ts'
import { eachTable, throwFirst } from '../each-table.ts'
import { failpoint } from '../failpoint.ts'
import type { FilePins } from '../file/file-pins.ts'
import type { OpenTables } from '../memory/tables.ts'
import type { EngineMetrics } from '../metrics.ts'
import { meets, overlapping } from '../read/plan.ts'
import { type ChecksumOf, contentDamage } from '../repair/data-check.ts'
import { writeMerged } from './merged-file.ts'
import { pickFiles } from './pick.ts'
import type { UpkeepThread } from './upkeep-thread.ts'

interface CompactorDependencies {
  readonly catalog: EmbeddedCatalog
  readonly duckdb: Duckdb
  readonly upkeep: UpkeepThread
  readonly tables: OpenTables
  readonly pins: FilePins
  readonly dataDir: string
  readonly checksumOf: ChecksumOf
  readonly log: Logger
  readonly metrics: EngineMetrics
  readonly tracing: Tracing
}

/** Milliseconds after which a table without new files is looked at again: rows expire. */
const lookAgain = 10_000

/** Milliseconds until a file is tried again that could not be read. */
const retryAfter = 60_000

export class Compactor {
  readonly #parts: CompactorDependencies
  readonly #serially = serialQueue()
  /** Until when files are left as they are, in milliseconds since 1970: those found damaged for ever, those that could not be read for a while. */
  readonly #leftOut = new Map<string, number>()
  /** Tables without work at their last check: the files checked, and when. */
  readonly #idle = new WeakMap<Table, { readonly files: readonly DataFile[]; readonly at: number }>()
  #planned = false
  #stopped = false

  constructor(parts: CompactorDependencies) {
    this.#parts = parts
  }

  /** Looks after all tables soon; a failure is logged and tried again at the next occasion. */
  plan(): void {
    if (this.#planned || this.#stopped) return
    this.#planned = true
    this.compact()
      .catch(error => {
        if (this.#stopped) return
        this.#parts.metrics.compactionFailures.add(1)
        this.#parts.log.error({ err: error }, 'files could not be compacted; trying again')
      })
      .finally(() => {
        this.#planned = false
      })
  }

  /** Everything there is to do now for one table or all. */
  compact(only?: Table): Promise<Report> {
    return this.#serially(() => this.#compact(only))
  }

  /** Merges files of a table until none overlap: no row in them hides another. */
  mergeOverlapping(table: Table): Promise<void> {
    return this.#serially(() => this.#mergeOverlapping(table.id))
  }

  /** Gives up the merge under way, whose files stay as they are; nothing starts after it. */
  async stop(): Promise<void> {
    this.#stopped = true
    await this.#parts.upkeep.stopMerging()
    await this.#serially(async () => {})
  }

  async #compact(only: Table | undefined): Promise<Report> {
    const { catalog, log } = this.#parts
    const report = { rows: 0, bytes: 0, files: 0 }
    const failures = await eachTable(
      only ? [catalog.physicalTable(only)] : this.#changed(),
      table => this.#compactTable(table.id, report),
      ({ database, name }, cause) =>
        withMessage(cause, `files of ${database}.${name} cannot be merged: ${cause.message}`)
    )
    throwFirst(failures, log, 'files could not be compacted; trying again')
    return report
  }

  /** Tables whose files changed since their last check, or whose check is long ago. */
  *#changed(): Iterable<Table> {
    const { catalog } = this.#parts
    for (const table of catalog.allTables()) {
      if (isLogical(table)) continue
      const idle = this.#idle.get(table)
      const isSame = idle?.files === catalog.files(table)
      if (!isSame || Date.now() - idle!.at > lookAgain) yield table
    }
  }

  async #compactTable(id: number, report: { rows: number; bytes: number; files: number }): Promise<void> {
    const { catalog } = this.#parts
    if (this.#stopped) return
    await this.#expire(id)
    for (;;) {
      const table = catalog.tableById(id)
      if (this.#stopped || table === undefined) return
      const sound = catalog.files(table).filter(({ path }) => (this.#leftOut.get(path) ?? 0) <= Date.now())
      const files = pickFiles(table, sound, catalog.cutoff(table, Date.now()))
      if (files.length === 0) {
        this.#idle.set(table, { files: catalog.files(table), at: Date.now() })
        return
      }
      const merged = await this.#traced(table, files)
      if (merged === undefined) return
      report.rows += merged.rows
      report.bytes += merged.bytes
      report.files++
    }
  }

  #traced(table: Table, files: readonly DataFile[]) {
    const facts = { 'weir.table': `${table.database}.${table.name}`, 'weir.files': files.length }
    return this.#parts.tracing.span('compaction', facts, () => this.#merge(table, files), { root: true })
  }

  async #mergeOverlapping(id: number): Promise<void> {
    const { catalog } = this.#parts
    for (;;) {
      const table = catalog.tableById(id)
      if (this.#stopped || table === undefined) return
      const hidden = new Set(overlapping({ table, files: catalog.files(table), memtables: [] }))
      const files = catalog.files(table).filter(file => hidden.has(file))
      if (files.length === 0 || (await this.#merge(table, files)) === undefined) return
    }
  }

  /** Files whose every row is past its time go without being read. */
  async #expire(id: number): Promise<void> {
    const { catalog, pins, metrics, log } = this.#parts
    await catalog.ready()
    const table = catalog.tableById(id)
    const cutoff = table && catalog.cutoff(table, Date.now())
    if (table === undefined || cutoff === undefined) return
    const expired = catalog.files(table).filter(file => file.maxTime < cutoff)
    if (expired.length === 0 || !catalog.replaceFiles(table, expired, undefined)) return
    metrics.expiredFiles.add(expired.length)
    metrics.expiredBytes.add(countBytes(expired))
    log.debug({ table: table.name, files: expired.length }, 'expired files were removed')
    await catalog.durable()
    await pins.remove(expired.map(file => file.path))
  }

  /** A merged file would carry wrong rows on under a right checksum. */
  async #requireContent(files: readonly DataFile[]): Promise<void> {
    const { dataDir, checksumOf } = this.#parts
    for (const file of files) {
      this.#leftOut.set(file.path, Date.now() + retryAfter)
      const damage = await contentDamage(join(dataDir, file.path), file, checksumOf)
      if (damage !== undefined) {
        this.#leftOut.set(file.path, Number.POSITIVE_INFINITY)
        throw new DbError('StorageUnavailable', damage)
      }
      this.#leftOut.delete(file.path)
    }
  }

  /** One file in place of several. Undefined when the table changed under it; the files then stay. */
  async #merge(table: Table, files: readonly DataFile[]): Promise<{ rows: number; bytes: number } | undefined> {
    const { catalog, pins, metrics, log } = this.#parts
    const started = performance.now()
    const paths = files.map(file => file.path)
    const maxSeq = files.reduce((max, file) => Math.max(max, file.maxSeq), Number.NEGATIVE_INFINITY)
    // A delete may go once nothing older than it is left that it could hide.
    const rest = catalog.files(table).filter(file => !files.includes(file))
    const keepDeletes = rest.some(file => file.minSeq < maxSeq && files.some(other => meets(file, other)))
    pins.pin(paths)
    try {
      await this.#requireContent(files)
      const file = await writeMerged(this.#parts, {
        table,
        files,
        folder: catalog.folder(table),
        keepDeletes,
        cutoff: catalog.cutoff(table, Date.now()),
        only: catalog.logicalIds(table)
      })
      await catalog.ready()
      // A column added meanwhile is null in the new file as it was in the old ones; a dropped table has no use for it.
      if (!catalog.replaceFiles(table, files, file)) {
        if (file) await pins.remove([file.path])
        return undefined
      }
      failpoint('compact.catalogued')
      await catalog.durable()
      await pins.remove(paths)
      metrics.compactionSeconds.observe((performance.now() - started) / 1000)
      metrics.compactedFiles.add(files.length)
      metrics.compactedBytes.add(countBytes(files))
      log.debug({ table: table.name, files: files.length, rows: file?.rows ?? 0 }, 'files were merged')
      return { rows: file?.rows ?? 0, bytes: file?.bytes ?? 0 }
    } finally {
      pins.unpin(paths)
    }
  }
}

function countBytes(files: readonly DataFile[]): number {
  return files.reduce((sum, file) => sum + file.bytes, 0)
}
