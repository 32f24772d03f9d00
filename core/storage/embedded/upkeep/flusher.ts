// When and how rows leave memory for files: by size, by age, on demand; one flush at a time.
import { eachConcurrent } from '../../../concurrent.ts'
import { DbError, isDbError, withMessage } from '../../../errors.ts'
import type { Logger } from '../../../log/log.ts'
import type { Table } from '../../../model/table.ts'
import { Pace, runPaced } from '../../../pace.ts'
import { serialQueue } from '../../../serial.ts'
import { after, pause } from '../../../timer.ts'
import type { Span, Tracing } from '../../../trace/trace.ts'
import type { Report } from '../../engine.ts'
import type { EmbeddedCatalog, FlushedTable } from '../catalog/catalog.ts'
import { hasSeries } from '../catalog/logical.ts'
import { eachTable, throwFirst } from '../each-table.ts'
import { failpoint } from '../failpoint.ts'
import type { FilePins } from '../file/file-pins.ts'
import type { WriteAheadLog } from '../log/wal.ts'
import type { Memtable } from '../memory/memtable.ts'
import type { TableData } from '../memory/table-data.ts'
import type { OpenTables } from '../memory/tables.ts'
import type { EngineMetrics } from '../metrics.ts'
import { type FlushedFile, writeFlushed } from './flush-file.ts'
import { Throttle } from './throttle.ts'
import type { UpkeepThread } from './upkeep-thread.ts'

/** Milliseconds after a failed flush before the next. */
const retryAfter = 5_000

/** Tables whose failures are counted by name. */
const maxNamedTables = 100

/** Series, tables and bytes of rows that go to the catalog in one transaction. */
const seriesAtOnce = 1_000
const tablesAtOnce = 200
const bytesAtOnce = 1 << 20
/** Of these files so many are brought to the disk at the same time. */
const syncsAtOnce = 16
/** Tables that are flushed at the same time: while the files of some are synced, those of others are written. */
const flushesAtOnce = 4

/** Bytes of log that the next start reads in about a second, and milliseconds that a stop writes files though it could leave the rows there. */
const [shortLog, shortStop] = [64 << 20, 1_000]

/** When rows leave memory though there is room; times are milliseconds since 1970. */
export interface FlushPolicy {
  /** Everything is written once a memtable was begun before. */
  readonly olderThan: number
  /** A table is written once its rows take so much and the last one came before `since`: files take less memory, and the log gets short. */
  readonly cold: { readonly since: number; readonly bytes: number }
}

interface FlusherDependencies {
  readonly catalog: EmbeddedCatalog
  readonly upkeep: UpkeepThread
  readonly pins: FilePins
  readonly tables: OpenTables
  readonly dataDir: string
  readonly log: Logger
  readonly metrics: EngineMetrics
  readonly tracing: Tracing
  /** Called after new files have been added to the catalog. */
  flushed(): void
}

export class Flusher {
  /** Undefined while the log is being replayed: nothing may be dropped from it then. */
  wal: WriteAheadLog | undefined
  /** How fast writes may come. */
  readonly throttle = new Throttle()
  readonly #parts: FlusherDependencies
  readonly #serially = serialQueue()
  #planned = false
  /** Fires when rows that are in the log, too, need not be written to files any more. */
  #limit: AbortSignal | undefined
  /** When a memtable was written last, in milliseconds: those of tables that are flushed at the same time wait for each other. */
  #lastWritten = 0
  /** Tables that are named in the metrics. */
  readonly #failing = new Set<string>()

  constructor(parts: FlusherDependencies) {
    this.#parts = parts
  }

  /** Flushes one table or all soon; a failure is logged and tried again at the next occasion. */
  plan(only?: Table): void {
    if (this.#planned) return
    this.#planned = true
    this.flush(only)
      .catch(async error => {
        // The engine stops: it flushes once more, and the log keeps what is left then.
        if (isDbError(error) && error.code === 'Cancelled') return
        this.#parts.metrics.flushFailures.add(1)
        this.#parts.log.error({ err: error }, 'rows could not be written to files; trying again')
        await pause(retryAfter, { ref: false })
      })
      .finally(() => {
        this.#planned = false
        // Rows that came meanwhile may have filled memory again: who waits for room asks for the next flush.
        this.#parts.tables.release(0)
      })
  }

  /** Plans a flush of everything when some rows are too old for memory, else of a table whose rows are cold. */
  async planDue({ olderThan, cold }: FlushPolicy, pace: Pace): Promise<void> {
    let found: Table | undefined
    for (const { table, bytes, memtables } of this.#parts.tables.all()) {
      if (memtables.some(({ createdAt }) => createdAt < olderThan)) return this.plan()
      const isCold = bytes >= cold.bytes && memtables.every(({ changedAt }) => changedAt < cold.since)
      if (isCold) found = table
      if (pace.isDue) await pace.pause()
    }
    if (found !== undefined) this.plan(found)
  }

  /** Writes the rows in memory, of one table or all, to files. */
  flush(only?: Table): Promise<Report> {
    return this.#serially(() => this.#traced(only))
  }

  /**
   * Writes rows to files until `limit` fires, those without a log first, then those of large tables; the log keeps the rest. While the log is
   * short, that is after a second: thousands of small files take longer to be written than their rows to be replayed.
   */
  async close(limit: AbortSignal | undefined): Promise<void> {
    const soon = new AbortController()
    const isShort = limit !== undefined && this.wal !== undefined && this.wal.size <= shortLog
    const timer = isShort ? after(shortStop, () => soon.abort()) : undefined
    this.#limit = limit && AbortSignal.any([limit, soon.signal])
    try {
      await this.flush()
    } finally {
      timer?.stop()
    }
    const left = [...this.#parts.tables.all()].filter(data => data.memtables.length > 0).length
    if (left > 0) this.#parts.log.info({ tables: left }, 'the rows of tables stay in the log for the next start')
  }

  /** Part of no request: who asked for it does not wait for it. */
  #traced(only: Table | undefined): Promise<Report> {
    const work = async (span: Span) => {
      const report = await this.#flush(only)
      span.set({ 'weir.rows': report.rows, 'weir.files': report.files, 'weir.bytes': report.bytes })
      return report
    }
    return this.#parts.tracing.span('flush', {}, work, { root: true })
  }

  async #flush(only: Table | undefined): Promise<Report> {
    const { catalog, tables, metrics, log } = this.#parts
    const started = performance.now()
    const id = only && catalog.physicalTable(only).id
    const due = [...tables.all()].filter(
      data => data.memtables.length > 0 && (id === undefined || data.table.id === id)
    )
    due.sort((a, b) => Number(isOutsideLog(b)) - Number(isOutsideLog(a)) || b.bytes - a.bytes)
    for (const data of due) data.seal()
    failpoint('flush.sealed')
    const boundary = tables.appliedSeq
    // Memtables sealed from here on have rows behind the boundary; the next flush takes them.
    const sealed = new Map(due.map(data => [data, [...data.sealed]]))
    // A file must not hold rows that the log could still lose.
    await this.wal?.flush()
    const report = { rows: 0, bytes: 0, files: 0 }
    const running: RunningFlush = { written: [], report, serially: serialQueue() }
    let failures: readonly DbError[]
    try {
      failures = await eachTable(
        due,
        data => this.#flushTable(data, sealed.get(data)!, boundary, running),
        (data, cause) => this.#failed(data, cause),
        flushesAtOnce
      )
    } finally {
      await this.#catalogue(running)
    }
    await catalog.durable()
    await this.wal?.dropBefore(tables.oldestSeq())
    failpoint('flush.log_dropped')
    if (report.files > 0) {
      metrics.flushSeconds.observe((performance.now() - started) / 1000)
      metrics.flushedRows.add(report.rows)
      metrics.flushedBytes.add(report.bytes)
      log.debug(report, 'rows were written to files')
      this.#parts.flushed()
    }
    throwFirst(failures, log, 'rows could not be written to files; trying again')
    return report
  }

  async #flushTable(
    data: TableData,
    sealed: readonly Memtable[],
    boundary: number,
    flush: RunningFlush
  ): Promise<void> {
    for (const memtable of sealed) {
      if (isGone(data, memtable)) continue
      const last = memtable === sealed.at(-1)
      memtable.pin()
      try {
        const written = await this.#writeMemtable(data, memtable, last ? boundary : memtable.endSeq)
        if (written === undefined) {
          memtable.unpin()
          return
        }
        flush.written.push(written)
      } catch (error) {
        memtable.unpin()
        throw error
      }
      // Small ones go to the catalog together; one of a table counts before the next one is written.
      if (!last || isEnough(flush.written)) await this.#catalogue(flush)
    }
  }

  /** Whether the server stops and has no time left for what the log holds, too. */
  #mayStay(data: TableData): boolean {
    return this.#limit?.aborted === true && !isOutsideLog(data)
  }

  /** The rows of one table stay where they are, in memory and in the log; those of others do not wait for them. */
  #failed({ table: { database, name } }: TableData, cause: DbError): DbError {
    const table = `${database}.${name}`
    const known = this.#failing.has(table) || this.#failing.size < maxNamedTables
    if (known) this.#failing.add(table)
    this.#parts.metrics.tableFlushFailures.add(
      1,
      known ? { db: database, table: name } : { db: 'other', table: 'other' }
    )
    return withMessage(cause, `rows of ${table} cannot be written to files: ${cause.message}`)
  }

  /** In parts before the file, so that a million new series do not hold up everything else. False when the rest need not be saved. */
  async #saveSeries(data: TableData, memtable: Memtable): Promise<boolean> {
    const pace = new Pace()
    await runPaced(pace, data.load())
    for (;;) {
      if (this.#mayStay(data)) return false
      await this.#parts.catalog.ready()
      if (isGone(data, memtable)) return false
      const part = data.unsavedSeries(seriesAtOnce)
      if (part.series.length < seriesAtOnce) return true
      this.#parts.catalog.saveSeries(data.table, part.series)
      part.saved()
      await pace.pause()
    }
  }

  /** Writes a memtable to a file; undefined when the server stops or the table's rows are gone. */
  async #writeMemtable(data: TableData, memtable: Memtable, flushedSeq: number): Promise<WrittenMemtable | undefined> {
    const { catalog } = this.#parts
    const started = performance.now()
    if (!(await this.#saveSeries(data, memtable)) || isGone(data, memtable)) return undefined
    const unsaved = data.unsavedSeries()
    const { table } = data
    const { upkeep, dataDir } = this.#parts
    const registry = hasSeries(table) ? data.registry : undefined
    const folder = catalog.folder(table)
    const { file, makeDurable } = (await writeFlushed({ upkeep, dataDir, folder }, { table, memtable, registry })) ?? {}
    const rows = file?.rows ?? 0
    const isWhole = memtable.times.areDistinct || table.options.append_mode ? rows === memtable.rows : rows > 0
    if (!isWhole) {
      throw new DbError('Unexpected', `the file of ${memtable.firstSeq} holds ${rows} rows instead of ${memtable.rows}`)
    }
    const now = performance.now()
    const milliseconds = now - Math.max(started, this.#lastWritten)
    this.#lastWritten = now
    const { series, saved } = unsaved
    return { table, file, makeDurable, series, flushedSeq, data, memtable, milliseconds, saved }
  }

  /** Makes all files count that are written. Throws the first error of one that cannot be brought to the disk; the others count. */
  #catalogue(flush: RunningFlush): Promise<void> {
    return flush.serially(() => this.#catalogueWritten(flush))
  }

  async #catalogueWritten({ written, report }: RunningFlush): Promise<void> {
    if (written.length === 0) return
    const { catalog, tables, pins } = this.#parts
    const taken = written.splice(0)
    const durable: WrittenMemtable[] = []
    const errors: unknown[] = []
    try {
      // The disk takes many small files at once in little more than the time of one.
      await eachConcurrent(taken, syncsAtOnce, async flushed => {
        try {
          await flushed.makeDurable?.()
          durable.push(flushed)
        } catch (error) {
          errors.push(error)
        }
      })
      await catalog.ready()
      const { all = [], gone = [] } = Object.groupBy(durable, ({ data, memtable }) =>
        isGone(data, memtable) ? 'gone' : 'all'
      )
      if (all.length > 0) catalog.addFiles(all)
      failpoint('flush.catalogued')
      for (const { data, memtable, file, milliseconds, saved } of all) {
        saved()
        data.sealed = data.sealed.filter(other => other !== memtable)
        this.throttle.flushed(memtable.bytes, milliseconds)
        tables.release(memtable.bytes)
        memtable.drop()
        if (file === undefined) continue
        report.rows += file.rows
        report.bytes += file.bytes
        report.files++
      }
      await pins.remove(gone.flatMap(({ file }) => (file === undefined ? [] : [file.path])))
    } finally {
      for (const { memtable } of taken) memtable.unpin()
    }
    if (errors.length > 0) throw errors[0]
  }
}

/** Whether the table of the rows was dropped or truncated after they were sealed: that does not wait for a flush. */
function isGone(data: TableData, memtable: Memtable): boolean {
  return !data.sealed.includes(memtable)
}

function isOutsideLog({ table }: TableData): boolean {
  return table.options.skip_wal === true
}

/** A memtable whose files the catalog does not know yet. */
interface WrittenMemtable extends FlushedTable {
  readonly makeDurable: FlushedFile['makeDurable'] | undefined
  readonly data: TableData
  readonly memtable: Memtable
  readonly milliseconds: number
  saved(): void
}

interface RunningFlush {
  readonly written: WrittenMemtable[]
  readonly report: { rows: number; bytes: number; files: number }
  /** Files of a table count in the order they were written. */
  readonly serially: ReturnType<typeof serialQueue>
}

function isEnough(written: readonly WrittenMemtable[]): boolean {
  if (written.length >= tablesAtOnce) return true
  let [bytes, series] = [0, 0]
  for (const each of written) {
    bytes += each.memtable.bytes
    series += each.series.length
  }
  return bytes >= bytesAtOnce || series >= seriesAtOnce
}
