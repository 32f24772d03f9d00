// The spare of the catalog: a copy, and every change since, so that the rows of data files and of the log outlive the loss of catalog.db.
import {
  closeSync,
  existsSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync
} from 'node:fs'
import { open } from 'node:fs/promises'
import { backup, DatabaseSync, type Session } from 'node:sqlite'
import { crc32 } from 'node:zlib'
import type { SeriesEntry } from '../log/record.ts'
import { openCatalogFile, prepareCatalog } from './catalog-file.ts'
import { catalogSchema } from './catalog-rows.ts'
import { tableNames } from './row-sums.ts'

/** Paths of the spare of a catalog: a copy of it, and the changes since. */
export function sparePaths(catalog: string): { readonly copy: string; readonly changes: string } {
  return { copy: `${catalog}.copy`, changes: `${catalog}.changes` }
}

/** Bytes of changes, besides those of the copy, after which the copy is made anew. */
const maxChangeBytes = 16 * 2 ** 20

/** Pages of the catalog that are copied in one go: a transaction waits for no more than these. */
const pagesAtOnce = 64

/** Length of the payload u32, checksum of what follows u32, kind u32, the catalog's generation u64. */
const headerBytes = 20
/** The end of a transaction: the changes of all tables but the series, as SQLite writes them. */
const changeFrame = 0
/** Series of a table, part of the transaction that ends behind them. */
const seriesFrame = 1

interface Frame {
  readonly kind: number
  readonly generation: number
  readonly payload: Uint8Array
}

/**
 * Follows an open catalog. It is written after each transaction and never synced: it is for the loss of the catalog, and whatever it may
 * lack is seen by its generation at the next start, which makes it anew. A disk that takes no more of it ends it until then.
 */
export class CatalogSpare {
  readonly #sqlite: DatabaseSync
  readonly #tables: readonly string[]
  readonly #paths: { readonly copy: string; readonly changes: string }
  #fd: number | undefined
  /** Of the changes, and how many of them are too many. */
  #bytes = 0
  #max = 0
  #copying: Promise<void> | undefined
  #sessions: Session[] = []
  #frames: Uint8Array[] = []

  private constructor(sqlite: DatabaseSync, catalog: string) {
    this.#sqlite = sqlite
    this.#tables = tableNames(sqlite).filter(table => table !== 'series')
    this.#paths = sparePaths(catalog)
  }

  /** The spare of a catalog, as new as it is. Nothing may change the catalog meanwhile. */
  static async open(sqlite: DatabaseSync, catalog: string, generation: number): Promise<CatalogSpare> {
    const spare = new CatalogSpare(sqlite, catalog)
    const { copy, changes } = spare.#paths
    try {
      const isWhole = isCurrent(spare.#paths, generation)
      if (!isWhole) rmSync(changes, { force: true })
      spare.#fd = openSync(changes, 'a+')
      spare.#bytes = statSync(changes).size
      if (isWhole) spare.#max = maxChangeBytes + statSync(copy).size
      else await spare.#copy()
    } catch {
      spare.#end()
    }
    return spare
  }

  /** At the beginning of a transaction. */
  begin(): void {
    if (this.#fd === undefined) return
    this.#frames = []
    try {
      this.#sessions = this.#tables.map(table => this.#sqlite.createSession({ table }))
    } catch {
      this.#end()
    }
  }

  /** Series that the transaction adds. */
  add(table: number, series: readonly SeriesEntry[]): void {
    if (this.#fd === undefined || series.length === 0) return
    this.#frames.push(...frame(seriesFrame, 0, seriesPayload(table, series)))
  }

  /** Just before it is committed; `generation` is the one after it. */
  collect(generation: number): void {
    if (this.#fd === undefined) return
    try {
      const changes = Buffer.concat(this.#sessions.map(session => session.changeset()))
      this.#frames.push(...frame(changeFrame, generation, changes))
    } catch {
      this.#end()
    }
  }

  /** Whatever became of the transaction. */
  release(): void {
    for (const session of this.#sessions) session.close()
    this.#sessions = []
  }

  /** Once it is committed. */
  write(): void {
    if (this.#fd === undefined) return
    const bytes = Buffer.concat(this.#frames)
    this.#frames = []
    try {
      if (writeSync(this.#fd, bytes) < bytes.length) throw new Error('not all of it was written')
    } catch {
      this.#end()
      return
    }
    this.#bytes += bytes.length
    if (this.#bytes <= this.#max || this.#copying !== undefined) return
    this.#copying = this.#copy()
      .catch(() => {
        // Tried again after as many changes.
        this.#max = this.#bytes + maxChangeBytes
      })
      .finally(() => {
        this.#copying = undefined
      })
  }

  async close(): Promise<void> {
    this.#close()
    await this.#copying
  }

  #close(): void {
    if (this.#fd !== undefined) closeSync(this.#fd)
    this.#fd = undefined
  }

  /** Makes the copy anew, a few pages at a time beside transactions; the changes it took up go. */
  async #copy(): Promise<void> {
    const { copy, changes } = this.#paths
    const temporary = `${copy}.tmp`
    const from = this.#bytes
    const requireOpen = () => {
      if (this.#fd === undefined) throw new Error('the spare is closed')
    }
    try {
      rmSync(temporary, { force: true })
      await backup(this.#sqlite, temporary, { rate: pagesAtOnce, progress: requireOpen })
      requireOpen()
      // One file, without a log of its own beside it.
      const copied = new DatabaseSync(temporary)
      copied.exec('PRAGMA synchronous=OFF; PRAGMA journal_mode=DELETE')
      copied.close()
      const file = await open(temporary, 'r+')
      await file.sync().finally(() => file.close())
      requireOpen()
      // Changes the copy holds already are passed over: either file may be the older one after a crash in between.
      const since = Buffer.alloc(this.#bytes - from)
      readSync(this.#fd!, since, 0, since.length, from)
      writeFileSync(`${changes}.tmp`, since)
      renameSync(temporary, copy)
      renameSync(`${changes}.tmp`, changes)
      this.#close()
      this.#fd = openSync(changes, 'a+')
      this.#bytes = since.length
      this.#max = maxChangeBytes + statSync(copy).size
    } finally {
      for (const path of [temporary, `${changes}.tmp`]) rmSync(path, { force: true })
    }
  }

  #end(): void {
    this.#close()
    try {
      rmSync(this.#paths.changes, { force: true })
    } catch {
      // The rest lacks changes; its generation shows that.
    }
  }
}

/** Whether copy and changes lead to this generation, and are not too much to read. */
function isCurrent({ copy, changes }: ReturnType<typeof sparePaths>, generation: number): boolean {
  if (!existsSync(copy) || !existsSync(changes)) return false
  const bytes = statSync(changes).size
  if (bytes > maxChangeBytes + statSync(copy).size) return false
  const base = generationOf(copy)
  if (base === undefined) return false
  const read = readChanges(changes, base)
  return read.bytes === bytes && read.generation === generation
}

interface Rebuilt {
  /** Open, in a file of its own. */
  readonly catalog: DatabaseSync
  readonly identity: string
  readonly generation: number
}

/** Makes a catalog at `path` from the spare of the one at `lost`; undefined where there is none, or it cannot be read. */
export function rebuildCatalog(lost: string, path: string): Rebuilt | undefined {
  const { copy, changes } = sparePaths(lost)
  const base = existsSync(copy) ? generationOf(copy) : undefined
  if (base === undefined) return undefined
  const catalog = openCatalogFile(path)
  try {
    prepareCatalog(catalog, catalogSchema)
    copyRows(catalog, copy)
    const { frames } = existsSync(changes) ? readChanges(changes, base) : { frames: [] }
    for (const { kind, payload } of frames) {
      if (kind === seriesFrame) addSeries(catalog, payload)
      else if (payload.length > 0 && !catalog.applyChangeset(payload)) throw new Error('a change does not fit')
    }
    catalog.exec('DELETE FROM series WHERE table_id NOT IN (SELECT id FROM tables)')
    const meta = (key: string) => String(catalog.prepare('SELECT value FROM meta WHERE key = ?').get(key)?.value)
    return { catalog, identity: meta('identity'), generation: Number(meta('generation')) }
  } catch {
    catalog.close()
    return undefined
  }
}

function copyRows(catalog: DatabaseSync, copy: string): void {
  catalog.prepare('ATTACH ? AS spare').run(copy)
  catalog.exec('BEGIN')
  for (const table of [...tableNames(catalog), 'sqlite_sequence']) {
    const columns = catalog.prepare(`PRAGMA main.table_info(${table})`).all()
    const list = columns.map(({ name }) => name).join(', ')
    catalog.exec(`DELETE FROM main.${table}; INSERT INTO main.${table} (${list}) SELECT ${list} FROM spare.${table}`)
  }
  catalog.exec('COMMIT; DETACH spare')
}

function generationOf(path: string): number | undefined {
  let sqlite: DatabaseSync | undefined
  try {
    sqlite = new DatabaseSync(path, { readOnly: true })
    const value = sqlite.prepare("SELECT value FROM meta WHERE key = 'generation'").get()?.value
    return Number(value ?? 0)
  } catch {
    return undefined
  } finally {
    sqlite?.close()
  }
}

/** Frames of whole transactions that follow a generation without a gap, where they end, and the generation they lead to. */
function readChanges(path: string, base: number) {
  const bytes = readFileSync(path)
  const frames: Frame[] = []
  let transaction: Frame[] = []
  let [generation, end] = [base, 0]
  for (let at = 0; ; ) {
    const read = readFrame(bytes, at)
    if (read === undefined) break
    at += headerBytes + read.payload.length
    transaction.push(read)
    if (read.kind === seriesFrame) continue
    if (read.generation > generation + 1) break
    if (read.generation === generation + 1) {
      for (const each of transaction) frames.push(each)
      generation++
    }
    transaction = []
    end = at
  }
  return { frames, generation, bytes: end }
}

function frame(kind: number, generation: number, payload: Uint8Array): Uint8Array[] {
  const header = Buffer.alloc(headerBytes)
  header.writeUInt32LE(payload.length, 0)
  header.writeUInt32LE(kind, 8)
  header.writeBigUInt64LE(BigInt(generation), 12)
  header.writeUInt32LE(crc32(payload, crc32(header.subarray(8))), 4)
  return [header, payload]
}

function readFrame(bytes: Buffer, at: number): Frame | undefined {
  if (bytes.length - at < headerBytes) return undefined
  const start = at + headerBytes
  const payload = bytes.subarray(start, start + bytes.readUInt32LE(at))
  if (payload.length < bytes.readUInt32LE(at)) return undefined
  if (crc32(payload, crc32(bytes.subarray(at + 8, start))) !== bytes.readUInt32LE(at + 4)) return undefined
  return { kind: bytes.readUInt32LE(at + 8), generation: Number(bytes.readBigUInt64LE(at + 12)), payload }
}

/** Table u32, then of each series number u32, length u32 and key. */
function seriesPayload(table: number, series: readonly SeriesEntry[]): Uint8Array {
  const payload = Buffer.alloc(4 + series.reduce((sum, { key }) => sum + 8 + key.length, 0))
  payload.writeUInt32LE(table, 0)
  let at = 4
  for (const { tsid, key } of series) {
    payload.writeUInt32LE(tsid, at)
    payload.writeUInt32LE(key.length, at + 4)
    payload.set(key, at + 8)
    at += 8 + key.length
  }
  return payload
}

function addSeries(catalog: DatabaseSync, payload: Uint8Array): void {
  const view = new DataView(payload.buffer, payload.byteOffset, payload.byteLength)
  const put = catalog.prepare('INSERT OR IGNORE INTO series (table_id, tsid, key) VALUES (?, ?, ?)')
  catalog.exec('BEGIN')
  for (let at = 4; at < payload.length; ) {
    const length = view.getUint32(at + 4, true)
    put.run(view.getUint32(0, true), view.getUint32(at, true), payload.subarray(at + 8, at + 8 + length))
    at += 8 + length
  }
  catalog.exec('COMMIT')
}
