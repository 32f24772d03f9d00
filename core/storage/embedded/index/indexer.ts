// Keeps every data file's index sidecar: makes those that are missing, damaged or made for other indexes, behind the writes: counts as soon as a file
// is there, filters one file after the other.
import { join } from 'node:path'
import { isDbError } from '../../../errors.ts'
import type { Logger } from '../../../log/log.ts'
import type { Table } from '../../../model/table.ts'
import { eachPaced, Pace } from '../../../pace.ts'
import { serialQueue } from '../../../serial.ts'
import { after, type Timer } from '../../../timer.ts'
import type { EmbeddedCatalog } from '../catalog/catalog.ts'
import type { DataFile } from '../catalog/catalog-rows.ts'
import type { FilePins } from '../file/file-pins.ts'
import type { EngineMetrics } from '../metrics.ts'
import { type BuildDependencies, buildCounts, buildFilters } from './build.ts'
import { minCountRows } from './count-cells.ts'
import { createFilterThread } from './filter-thread.ts'
import type { IndexHead } from './format.ts'
import type { IndexReader } from './index-reader.ts'
import { type IndexSpec, indexSpecOf, isIndexed, type SectionSpec } from './index-spec.ts'
import { readNotes, readSound } from './sidecar.ts'

interface IndexerDependencies {
  readonly catalog: EmbeddedCatalog
  readonly dataDir: string
  readonly pins: FilePins
  readonly reader: IndexReader
  /** Whether a new file of the table is likely to be merged with others soon. */
  isToBeMerged(table: Table, file: DataFile): boolean
  readonly log: Logger
  readonly metrics: EngineMetrics['index']
}

/** Milliseconds until a new file gets filters if it is likely to be merged: then only the merged file needs them. */
const mergeGrace = 20_000

/** Milliseconds until a file gets filters after a query missed them. */
const missedGrace = 500

/** Milliseconds until a file is tried again whose indexes could not be made. */
const retryAfter = 60_000

/** Milliseconds somebody who asked for a flush waits for the indexes of its files. */
const patience = 10_000

export class Indexer {
  readonly #parts: IndexerDependencies
  readonly #thread = createFilterThread()
  /** By path: the `text` of the spec the sidecar was made for. */
  readonly #met = new Map<string, string>()
  readonly #failed = new Map<string, number>()
  /** By path: files whose sidecar was seen, and has counts where these are asked for. */
  readonly #counted = new Set<string>()
  readonly #described = new WeakMap<Table, DescribedSpec | undefined>()
  /** The files of tables that lacked nothing when these were looked at. */
  readonly #whole = new WeakMap<Table, readonly DataFile[]>()
  /** By path of files that are new since the start: from when on they get filters unasked. */
  readonly #due = new Map<string, number>()
  readonly #serially = serialQueue()
  #wanted: Timer | undefined
  #planned = false
  /** Files came since those that miss something were listed. */
  #hasNew = false
  #stopped = false

  constructor(parts: IndexerDependencies) {
    this.#parts = parts
    for (const { path } of parts.catalog.allFiles()) this.#due.set(path, 0)
  }

  /** Plans missing sidecars: counts of all files, filters of those that have been there for a while. */
  plan(): void {
    this.#hasNew = true
    if (this.#planned || this.#stopped) return
    this.#planned = true
    this.#serially(() => this.#makeMissing(undefined, true)).finally(() => {
      this.#planned = false
    })
  }

  /** Resolves when one table's files, or all, have their index sidecars as far as these can be made, or when it takes too long. */
  async waitFor(only?: Table): Promise<void> {
    const { promise: tooLong, resolve } = Promise.withResolvers<void>()
    const timer = after(patience, resolve)
    await Promise.race([this.#serially(() => this.#makeMissing(only, false)), tooLong])
    timer.stop()
  }

  /** A query found no index sidecar of the file, a damaged one, or one without the filters it looked for. */
  want({ path, table: id }: DataFile, found: 'nothing' | 'no filters'): void {
    const table = this.#parts.catalog.tableById(id)
    const spec = table && this.#textSpecOf(table)
    if (this.#stopped || table === undefined || spec === undefined) return
    if (found === 'no filters' && this.#met.get(path) === spec.text) return
    this.#met.delete(path)
    this.#whole.delete(table)
    if (found === 'nothing') this.#counted.delete(path)
    const due = Date.now() + missedGrace
    this.#due.set(path, Math.min(this.#due.get(path) ?? due, due))
    this.#wanted ??= after(missedGrace, () => {
      this.#wanted = undefined
      this.plan()
    }).unref()
  }

  async stop(): Promise<void> {
    this.#stopped = true
    this.#wanted?.stop()
    await this.#thread.close()
    await this.#serially(async () => {})
  }

  async #makeMissing(only: Table | undefined, onlyDue: boolean): Promise<void> {
    const seen = new Set<string>()
    for (;;) {
      this.#hasNew = false
      const missing = await this.#missing(only)
      for (const next of missing) {
        if (next.file.rows >= minCountRows && !this.#counted.has(next.file.path)) await this.#tried(next, this.#count)
      }
      const now = Date.now()
      const isDue = ({ table, file }: Missing) => !onlyDue || this.#dueOf(table, file, now) <= now
      const due = missing.filter(next => !seen.has(next.file.path) && isDue(next))
      if (due.length === 0 || this.#stopped) return
      for (const next of due) {
        seen.add(next.file.path)
        await this.#tried(next, this.#complete)
        // New files are counted before older ones get filters.
        if (this.#hasNew) break
      }
      this.#forgetGone()
    }
  }

  /** Files whose index sidecar is not known to be as it should. */
  async #missing(only: Table | undefined): Promise<Missing[]> {
    const { catalog } = this.#parts
    const now = Date.now()
    const missing: Missing[] = []
    await eachPaced(new Pace(), only === undefined ? catalog.allTables() : [catalog.physicalTable(only)], ({ id }) => {
      // It may have been changed since somebody asked for it.
      const table = catalog.tableById(id)
      const files = table && catalog.files(table)
      if (table === undefined || this.#whole.get(table) === files) return
      const described = this.#textSpecOf(table)
      const lacking = described === undefined ? [] : files!.filter(({ path }) => this.#met.get(path) !== described.text)
      if (lacking.length === 0) this.#whole.set(table, files!)
      for (const file of lacking) {
        if ((this.#failed.get(file.path) ?? 0) <= now) missing.push({ table, file, described: described! })
      }
    })
    return missing
  }

  /** The spec of the table's index sidecars; undefined if it has none. */
  #textSpecOf(table: Table): DescribedSpec | undefined {
    if (!this.#described.has(table)) this.#described.set(table, textSpecOf(table))
    return this.#described.get(table)
  }

  #dueOf(table: Table, file: DataFile, now: number): number {
    if (!this.#parts.isToBeMerged(table, file)) return now
    const due = this.#due.get(file.path) ?? now + mergeGrace
    this.#due.set(file.path, due)
    return due
  }

  /** Never throws: a file whose indexes cannot be made is tried again later. */
  async #tried(next: Missing, make: (next: Missing) => Promise<void>): Promise<void> {
    const { catalog, pins, log, metrics } = this.#parts
    const { table, file } = next
    const isGone = !catalog.files(table).some(({ id }) => id === file.id)
    if (this.#stopped || isGone || (this.#failed.get(file.path) ?? 0) > Date.now()) return
    pins.pin([file.path])
    try {
      await make(next)
    } catch (error) {
      if (this.#stopped) return
      this.#failed.set(file.path, Date.now() + retryAfter)
      metrics.failures.add(1)
      const reason = isDbError(error) ? error.message : error
      log.warn({ file: file.path, err: reason }, 'the indexes of a data file could not be made; queries read all of it')
    } finally {
      pins.unpin([file.path])
    }
  }

  readonly #count = async ({ file, described: { spec } }: Missing): Promise<void> => {
    const { counted, sections } = spec
    const path = join(this.#parts.dataDir, file.path)
    if (counted !== undefined && (await readNotes(path, file)) === undefined) {
      await this.#timed(file, 'counts', () => buildCounts(this.#building, file, counted))
      this.#parts.reader.forget(file.path)
      if (sections.length === 0) this.#parts.metrics.rows.add(file.rows)
    }
    this.#counted.add(file.path)
  }

  readonly #complete = async (next: Missing): Promise<void> => {
    const { file, described } = next
    const { spec, text } = described
    if (!this.#counted.has(file.path)) await this.#count(next)
    const path = join(this.#parts.dataDir, file.path)
    const found = spec.sections.length === 0 ? undefined : await readSound(path, file)
    if (spec.sections.length > 0 && (found === undefined || !meets(found, file, spec))) {
      const notes = (await readNotes(path, file)) ?? {}
      const written = () => this.#parts.reader.forget(file.path)
      await this.#timed(file, 'filters', () => buildFilters(this.#building, file, spec.sections, notes, written))
      this.#parts.metrics.rows.add(file.rows)
    }
    this.#met.set(file.path, text)
    this.#failed.delete(file.path)
  }

  get #building(): BuildDependencies {
    return { thread: this.#thread, dataDir: this.#parts.dataDir }
  }

  async #timed(file: DataFile, kind: 'counts' | 'filters', build: () => Promise<number>): Promise<void> {
    const { log, metrics } = this.#parts
    const started = performance.now()
    const bytes = await build()
    const seconds = (performance.now() - started) / 1000
    metrics.seconds.observe(seconds, { kind })
    metrics.bytes.add(bytes)
    log.debug({ file: file.path, kind, rows: file.rows, bytes, seconds }, 'an index file was made')
  }

  #forgetGone(): void {
    const { catalog } = this.#parts
    const files = catalog.allFiles()
    if (this.#met.size + this.#due.size <= 2 * files.length + 1_000) return
    const paths = new Set(files.map(file => file.path))
    for (const known of [this.#met, this.#failed, this.#due, this.#counted]) {
      for (const path of known.keys()) if (!paths.has(path)) known.delete(path)
    }
  }
}

interface Missing {
  readonly table: Table
  readonly file: DataFile
  readonly described: DescribedSpec
}

interface DescribedSpec {
  readonly spec: IndexSpec
  /** Equal for equal specs. */
  readonly text: string
}

function textSpecOf(table: Table): DescribedSpec | undefined {
  if (!isIndexed(table)) return undefined
  const spec = indexSpecOf(table)
  return { spec, text: describe(spec) }
}

function describe({ sections, counted }: IndexSpec): string {
  const indexed = sections.map(({ column, kind, falsePositiveRate }) => `${column.id} ${kind} ${falsePositiveRate}`)
  return [...indexed, ...(counted?.columns.map(({ id }) => `${id} counts`) ?? [])].join()
}

/** Whether an index sidecar has all that `spec` asks of the columns the file holds. */
function meets({ sections, counts }: IndexHead, file: DataFile, { sections: spec, counted }: IndexSpec): boolean {
  const isThere = ({ column, kind, falsePositiveRate }: SectionSpec) =>
    sections.some(
      section =>
        section.column === column.id && section.kind === kind && section.falsePositiveRate === falsePositiveRate
    )
  const held = spec.filter(({ column }) => file.columns.includes(column.id))
  if (counted !== undefined && counts === undefined) return false
  return held.every(isThere)
}
