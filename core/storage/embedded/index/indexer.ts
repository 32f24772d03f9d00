// Keeps every data file's side file: makes those that are missing, damaged or of another wish, one after the other, behind the writes.
import { join } from 'node:path'
import { isDbError } from '../../../errors.ts'
import type { Logger } from '../../../log/log.ts'
import type { Table } from '../../../model/table.ts'
import { eachPaced, Pace } from '../../../pace.ts'
import { serialQueue } from '../../../serial.ts'
import { after } from '../../../timer.ts'
import type { EmbeddedCatalog } from '../catalog/catalog.ts'
import type { DataFile } from '../catalog/catalog-rows.ts'
import type { FilePins } from '../file/file-pins.ts'
import type { EngineMetrics } from '../metrics.ts'
import { buildIndex } from './build.ts'
import { createFilterThread } from './filter-thread.ts'
import type { IndexHead } from './format.ts'
import type { IndexReader } from './index-reader.ts'
import { readSound } from './side-file.ts'
import { type Wanted, type WantedSection, wantedOf } from './wanted.ts'

export interface IndexerParts {
  readonly catalog: EmbeddedCatalog
  readonly dataDir: string
  readonly pins: FilePins
  readonly reader: IndexReader
  readonly log: Logger
  readonly metrics: EngineMetrics['index']
}

/** Milliseconds a new file waits: while much is written, files are merged before that, and only the merged one needs indexes. */
const settled = 20_000

/** Milliseconds until a file is tried again whose indexes could not be made. */
const retryAfter = 60_000

/** Milliseconds somebody who asked for a flush waits for the indexes of its files. */
const patience = 10_000

export class Indexer {
  readonly #parts: IndexerParts
  readonly #thread = createFilterThread()
  /** By path: the wish that is met, or cannot be. */
  readonly #met = new Map<string, string>()
  readonly #failed = new Map<string, number>()
  readonly #wishes = new WeakMap<Table, Wish | undefined>()
  /** By path of files that are new since the start: from when on they get indexes unasked. */
  readonly #due = new Map<string, number>()
  readonly #serially = serialQueue()
  #planned = false
  #stopped = false

  constructor(parts: IndexerParts) {
    this.#parts = parts
    for (const { path } of parts.catalog.allFiles()) this.#due.set(path, 0)
  }

  /** Makes soon what is missing of files that have been there for a while. */
  plan(): void {
    if (this.#planned || this.#stopped) return
    this.#planned = true
    this.#serially(() => this.#settle(undefined, true)).finally(() => {
      this.#planned = false
    })
  }

  /** Resolves when one table's files, or all, have their side files as far as these can be made, or when it takes too long. */
  async waitFor(only?: Table): Promise<void> {
    const { promise: tooLong, resolve } = Promise.withResolvers<void>()
    const timer = after(patience, resolve)
    await Promise.race([this.settle(only), tooLong])
    timer.stop()
  }

  /** The same, however long it takes. */
  settle(only?: Table): Promise<void> {
    return this.#serially(() => this.#settle(only, false))
  }

  /** The side file turned out to be damaged. */
  renew(file: DataFile): void {
    this.#met.delete(file.path)
    this.plan()
  }

  async stop(): Promise<void> {
    this.#stopped = true
    await this.#thread.close()
    await this.#serially(async () => {})
  }

  async #settle(only: Table | undefined, onlyDue: boolean): Promise<void> {
    const seen = new Set<string>()
    for (;;) {
      const missing = await this.#missing(only, onlyDue)
      const due = missing.filter(({ file }) => !seen.has(file.path))
      if (due.length === 0 || this.#stopped) return
      for (const next of due) {
        seen.add(next.file.path)
        if (!this.#stopped) await this.#provide(next)
      }
      this.#forgetGone()
    }
  }

  /** Files whose side file is not known to be as it should. */
  async #missing(only: Table | undefined, onlyDue: boolean): Promise<Missing[]> {
    const { catalog } = this.#parts
    const now = Date.now()
    const missing: Missing[] = []
    await eachPaced(new Pace(), only === undefined ? catalog.allTables() : [catalog.host(only)], ({ id }) => {
      // It may have been changed since somebody asked for it.
      const table = catalog.tableById(id)
      if (table === undefined) return
      const wish = this.#wishOf(table)
      if (wish === undefined) return
      for (const file of catalog.files(table)) {
        const { path } = file
        if (this.#met.get(path) === wish.text || (this.#failed.get(path) ?? 0) > now) continue
        if (!onlyDue || this.#dueOf(path, now) <= now) missing.push({ table, file, wish })
      }
    })
    return missing
  }

  /** What side files of the table should hold; undefined where it has none. */
  #wishOf(table: Table): Wish | undefined {
    if (!this.#wishes.has(table)) this.#wishes.set(table, wishOf(table))
    return this.#wishes.get(table)
  }

  #dueOf(path: string, now: number): number {
    const known = this.#due.get(path)
    if (known !== undefined) return known
    this.#due.set(path, now + settled)
    return now + settled
  }

  async #provide({ table, file, wish: { wanted, text } }: Missing): Promise<void> {
    const { catalog, pins, dataDir, log, metrics } = this.#parts
    if (!catalog.files(table).some(({ id }) => id === file.id)) return
    pins.pin([file.path])
    try {
      const found = await readSound(join(dataDir, file.path))
      if (found === undefined || !meets(found, file, wanted)) await this.#build(file, wanted)
      this.#met.set(file.path, text)
      this.#failed.delete(file.path)
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

  async #build(file: DataFile, wanted: Wanted): Promise<void> {
    const { dataDir, reader, log, metrics } = this.#parts
    const started = performance.now()
    const bytes = await buildIndex({ thread: this.#thread, dataDir }, file, wanted)
    reader.forget(file.path)
    const seconds = (performance.now() - started) / 1000
    metrics.seconds.observe(seconds)
    metrics.rows.add(file.rows)
    metrics.bytes.add(bytes)
    log.debug({ file: file.path, rows: file.rows, bytes, seconds }, 'indexes of a data file were made')
  }

  #forgetGone(): void {
    const { catalog } = this.#parts
    const files = catalog.allFiles()
    if (this.#met.size + this.#due.size <= 2 * files.length + 1_000) return
    const paths = new Set(files.map(file => file.path))
    for (const known of [this.#met, this.#failed, this.#due]) {
      for (const path of known.keys()) if (!paths.has(path)) known.delete(path)
    }
  }
}

interface Missing {
  readonly table: Table
  readonly file: DataFile
  readonly wish: Wish
}

interface Wish {
  readonly wanted: Wanted
  /** The same for the same wish. */
  readonly text: string
}

function wishOf(table: Table): Wish | undefined {
  const wanted = wantedOf(table)
  if (wanted.sections.length === 0 && wanted.counted === undefined) return undefined
  return { wanted, text: describe(wanted) }
}

function describe({ sections, counted }: Wanted): string {
  const indexed = sections.map(({ column, kind, falsePositiveRate }) => `${column.id} ${kind} ${falsePositiveRate}`)
  return [...indexed, ...(counted?.columns.map(({ id }) => `${id} counts`) ?? [])].join()
}

/** Whether a side file belongs to the data file and has all that is wanted of the columns the file holds. */
function meets({ data, sections, counts }: IndexHead, file: DataFile, { sections: wanted, counted }: Wanted): boolean {
  const isThere = ({ column, kind, falsePositiveRate }: WantedSection) =>
    sections.some(
      section =>
        section.column === column.id && section.kind === kind && section.falsePositiveRate === falsePositiveRate
    )
  const held = wanted.filter(({ column }) => file.columns.includes(column.id))
  if (counted !== undefined && counts === undefined) return false
  return data.checksum === file.checksum && data.bytes === file.bytes && held.every(isThere)
}
