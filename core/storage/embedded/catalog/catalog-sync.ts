// Syncs commits of the catalog beside the event loop: SQLite alone would hold the loop up for every sync.
import {
  closeSync,
  existsSync,
  fdatasync,
  fstatSync,
  fsync,
  fsyncSync,
  linkSync,
  openSync,
  renameSync,
  rmSync
} from 'node:fs'
import { dirname } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { promisify } from 'node:util'
import type { DbError } from '../../../errors.ts'
import { after, type Timer } from '../../../timer.ts'
import { failpoint, faultpoint } from '../failpoint.ts'
import { needsRestart } from '../needs-restart.ts'
import type { CatalogTime } from './catalog-time.ts'

/** Bytes of SQLite's own log after which its pages go to the main file. */
const journalLimit = 4 * 2 ** 20

/** Milliseconds between two tries to write the mark. */
const retryTime = 2_000

const sync = promisify(fdatasync)
const syncLength = promisify(fsync)

interface Waiting {
  readonly generation: number
  resolve(): void
  reject(error: unknown): void
}

/**
 * Syncs SQLite's own log, then writes the mark, once for all changes that wait. SQLite itself syncs nothing but when it is closed, as every
 * order it relies on is kept here: its log is on the disk before its pages go to the main file, these are before the log is emptied, and it
 * is empty on the disk before the next change is written to it.
 */
export class CatalogSync {
  readonly #sqlite: DatabaseSync
  readonly #path: string
  readonly #time: CatalogTime
  readonly #journal: number
  /** To close it any earlier than SQLite would let go SQLite's lock. */
  readonly #main: number
  #synced: number
  #waiting: Waiting[] = []
  #running: Promise<void> | undefined
  /** While pages go to the main file: a change would be written over those in the log. */
  #emptying: Promise<void> | undefined
  #failed: DbError | undefined
  /** SQLite's `synchronous` setting. */
  #level: 'OFF' | 'NORMAL' = 'OFF'
  /** Pages may be nowhere on the disk but in the log. */
  #needsJournal = false
  #isClosed = false
  #retry: Timer | undefined

  /** Everything written before must be on the disk. */
  constructor(sqlite: DatabaseSync, path: string, time: CatalogTime) {
    this.#sqlite = sqlite
    this.#path = path
    this.#time = time
    this.#synced = time.generation
    this.#journal = openSync(`${path}-wal`, 'r+')
    this.#main = openSync(path, 'r+')
    syncFolder(dirname(path))
  }

  /** Why the catalog takes no changes: until a restart, or until its mark can be written. */
  get trouble(): string | undefined {
    return this.#failed?.message ?? this.#time.trouble
  }

  /** Resolves when a change can be made; the caller makes it before others run. */
  async ready(): Promise<void> {
    if (!this.#time.isMarked) await this.#start()
    while (this.#emptying !== undefined) await this.#emptying
  }

  /** Throws once no change can be made until a restart. */
  requireSound(): void {
    if (this.#failed !== undefined) throw this.#failed
  }

  /** Before a transaction; `end` follows it, whatever became of it. */
  begin(): void {
    this.requireSound()
    if (this.#emptying !== undefined) throw new Error('the catalog is changed before it is ready')
    this.#time.requireMarked()
    this.#sqlite.exec(`PRAGMA synchronous=${this.#level}`)
  }

  end(): void {
    if (this.#sqlite.isOpen) this.#sqlite.exec('PRAGMA synchronous=FULL')
  }

  /** After a transaction. */
  committed(): void {
    this.#time.committed()
    void this.#start()
  }

  /** Resolves when all changes made so far are on the disk. Throws DbError `StorageUnavailable` when nobody can know whether they are. */
  durable(): Promise<void> {
    const { generation } = this.#time
    if (this.#synced >= generation) return Promise.resolve()
    if (this.#failed !== undefined) return Promise.reject(this.#failed)
    return new Promise((resolve, reject) => this.#waiting.push({ generation, resolve, reject }))
  }

  /** Closes SQLite, too. Everything that was committed is on the disk then, if it can be. */
  async close(): Promise<void> {
    while (this.#running !== undefined) await this.#running
    this.closeNow()
  }

  /** As `close`, where nothing is waited for. */
  closeNow(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#retry?.stop()
    if (this.#needsJournal) closeKeepingJournal(this.#sqlite, this.#path)
    else this.#sqlite.close()
    closeSync(this.#main)
    closeSync(this.#journal)
  }

  #start(): Promise<void> {
    this.#running ??= this.#run()
    return this.#running
  }

  async #run(): Promise<void> {
    // Changes of the same turn of the event loop share the first sync.
    await new Promise<void>(resolve => setImmediate(resolve))
    try {
      // The system reports a failed sync once: the next one would succeed, whatever is on the disk.
      while (!this.#isClosed && this.#failed === undefined) {
        await this.#sync()
        if (fstatSync(this.#journal).size >= journalLimit) await this.#emptyAlone()
        if (this.#synced === this.#time.generation) break
      }
    } catch (cause) {
      this.#failed = needsRestart('the catalog could not be synced', cause)
      for (const { reject } of this.#waiting.splice(0)) reject(this.#failed)
    } finally {
      this.#running = undefined
      this.#markLater()
    }
  }

  /** Until the mark is written the server is not ready, and nobody may ask for the change that would try again. */
  #markLater(): void {
    if (this.#time.isMarked || this.#isClosed || this.#failed !== undefined) return
    this.#retry ??= after(retryTime, () => {
      this.#retry = undefined
      void this.#start()
    }).unref()
  }

  async #sync(): Promise<void> {
    const { generation } = this.#time
    faultpoint('catalog.sync')
    await sync(this.#journal)
    failpoint('catalog.synced')
    await this.#time.mark(generation)
    failpoint('catalog.marked')
    this.#synced = generation
    const done = this.#waiting.filter(waiting => waiting.generation <= generation)
    this.#waiting = this.#waiting.filter(waiting => waiting.generation > generation)
    for (const { resolve } of done) resolve()
  }

  async #emptyAlone(): Promise<void> {
    let done = () => {}
    this.#emptying = new Promise(resolve => {
      done = resolve
    })
    try {
      await this.#empty()
    } finally {
      this.#emptying = undefined
      done()
    }
  }

  /**
   * Pages go to the main file, and the log begins anew. Where that fails it is tried again later: nobody reads the catalog meanwhile, but the disk
   * may be full.
   */
  async #empty(): Promise<void> {
    if (this.#synced < this.#time.generation) await this.#sync()
    if (!this.#checkpoint('PASSIVE')) return
    this.#needsJournal = true
    const keepJournal = () => this.closeNow()
    process.once('exit', keepJournal)
    faultpoint('catalog.checkpoint')
    await sync(this.#main)
    process.off('exit', keepJournal)
    this.#needsJournal = false
    const isEmpty = this.#checkpoint('TRUNCATE')
    // A change that writes over what is in the log needs the beginning of the log synced before the rest.
    this.#level = isEmpty ? 'OFF' : 'NORMAL'
    if (!isEmpty) return
    this.#time.emptied()
    await syncLength(this.#journal)
  }

  /** Whether all pages are in the main file. */
  #checkpoint(mode: 'PASSIVE' | 'TRUNCATE'): boolean {
    try {
      this.#sqlite.exec('PRAGMA synchronous=OFF')
      const done = this.#sqlite.prepare(`PRAGMA wal_checkpoint(${mode})`).get()
      return done?.busy === 0 && done.log === done.checkpointed
    } catch {
      return false
    } finally {
      this.end()
    }
  }
}

/** Closes a catalog and keeps its log: the main file may lack pages of it, and SQLite would remove it. */
export function closeKeepingJournal(sqlite: DatabaseSync, path: string): void {
  const [journal, kept] = [`${path}-wal`, `${path}-wal.kept`]
  rmSync(kept, { force: true })
  linkSync(journal, kept)
  sqlite.close()
  if (!existsSync(journal)) renameSync(kept, journal)
  syncFolder(dirname(path))
}

function syncFolder(path: string): void {
  const folder = openSync(path, 'r')
  try {
    fsyncSync(folder)
  } finally {
    closeSync(folder)
  }
}
