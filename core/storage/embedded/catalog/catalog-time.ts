// Whether catalog and log are of one time: the catalog counts its changes, and the mark in the log's folder says how many there were.
import { randomUUID } from 'node:crypto'
import { statSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import { reasonOf } from '../../../errors.ts'
import { journalPages } from './catalog-journal.ts'
import { type Mark, MarkFile, markPath, readMark } from './catalog-mark.ts'
import { tableNames } from './row-sums.ts'

interface Time extends Mark {
  /** Changes the main file had seen when SQLite's own log beside it was begun: with an older one, pages are missing between them. */
  readonly base: number
}

export interface TimeProblem {
  /** `time`: the catalog is of another time than the rest and cannot be worked with; `damage`: a part of it is missing. */
  readonly kind: 'time' | 'damage' | 'mark'
  readonly file: string
  readonly reason: string
}

/** Undefined when catalog and log belong together, and in a folder from before catalogs counted. `main` is what `mainGeneration` says. */
export function timeProblem(
  sqlite: DatabaseSync,
  path: string,
  logDir: string,
  main: number | undefined
): TimeProblem | undefined {
  const own = readTime(sqlite)
  const base = own?.base ?? 0
  if (base > (main ?? 0)) {
    const reason = `catalog.db is older than catalog.db-wal beside it: it has seen ${main ?? 'no'} changes, the other begins after ${base}`
    return { kind: 'time', file: path, reason }
  }
  const cut = missingPage(sqlite, path)
  if (cut !== undefined) return { kind: 'damage', file: path, reason: cut }
  const mark = readMark(logDir)
  const file = markPath(logDir)
  if (typeof mark === 'string') {
    // A crash can come between the first change and its mark.
    if (own === undefined || own.generation <= 1) return undefined
    return { kind: 'mark', file, reason: `the mark that ties the log to its catalog is ${mark}: bring it back` }
  }
  if (own !== undefined && own.identity !== mark.identity) {
    const reason = `the catalog belongs to another log: ${file} is of catalog ${mark.identity}, this one is ${own.identity}`
    return { kind: 'time', file: path, reason }
  }
  const seen = own?.generation ?? 0
  if (seen >= mark.generation) return undefined
  const reason = `the catalog is older than the log: it has seen ${seen} changes, ${file} says ${mark.generation}; bring catalog.db and catalog.db-wal of the same time back`
  return { kind: 'time', file: path, reason }
}

/** The error for a truncated main file. SQLite would take the missing pages for empty where its own log lies beside it. */
function missingPage(sqlite: DatabaseSync, path: string): string | undefined {
  const pageSize = Number(sqlite.prepare('PRAGMA page_size').get()?.page_size)
  const pages = Number(sqlite.prepare('PRAGMA page_count').get()?.page_count)
  const there = Math.floor(statSync(path).size / pageSize)
  if (there >= pages) return undefined
  const logged = journalPages(`${path}-wal`)
  for (let page = there + 1; page <= pages; page++) {
    if (!logged.has(page)) return `catalog.db is cut short: it has ${there} pages, page ${page} is missing`
  }
  return undefined
}

/** The time in the main file, without SQLite's own log. Nobody in this process may hold the file: its lock would be lost. */
export function mainGeneration(path: string): number | undefined {
  const url = pathToFileURL(path)
  url.search = '?immutable=1'
  let main: DatabaseSync | undefined
  try {
    main = new DatabaseSync(url, { readOnly: true })
    return readTime(main)?.generation
  } catch {
    return undefined
  } finally {
    main?.close()
  }
}

function readTime(sqlite: DatabaseSync): Time | undefined {
  if (!tableNames(sqlite).includes('meta')) return undefined
  const read = sqlite.prepare('SELECT value FROM meta WHERE key = ?')
  const [identity, generation, base] = ['identity', 'generation', 'base'].map(key => read.get(key)?.value)
  if (identity === undefined || generation === undefined) return undefined
  return { identity: String(identity), generation: Number(generation), base: Number(base ?? 0) }
}

/** A catalog whose own count is lost takes up that of the log. */
export function adoptMark(sqlite: DatabaseSync, logDir: string): void {
  const mark = readMark(logDir)
  if (typeof mark === 'string' || readTime(sqlite) !== undefined) return
  const put = sqlite.prepare('INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)')
  for (const [key, value] of Object.entries({ ...mark, base: 0 })) put.run(key, String(value))
}

/** Writes the mark anew from what the catalog says. */
export function renewMark(sqlite: DatabaseSync, logDir: string): void {
  const own = readTime(sqlite)
  if (own === undefined) return
  const mark = new MarkFile(logDir)
  mark.write(own)
  mark.close()
}

/** Whether SQLite, which reads its own log up to the first page that is not whole, sees all changes that the mark in the log's folder knows of. */
export function seesMarked(sqlite: DatabaseSync, logDir: string): boolean {
  const mark = readMark(logDir)
  return typeof mark !== 'string' && (readTime(sqlite)?.generation ?? 0) >= mark.generation
}

/** Counts the changes of an open catalog and keeps the mark behind them. */
export class CatalogTime {
  readonly #sqlite: DatabaseSync
  readonly #mark: MarkFile
  #now: Time
  /** Why the mark does not say what is on the disk. */
  #unmarked: unknown

  /** `main` is what `mainGeneration` said before the catalog was opened. */
  constructor(sqlite: DatabaseSync, logDir: string, main: number | undefined) {
    this.#sqlite = sqlite
    this.#now = { ...(readTime(sqlite) ?? { identity: randomUUID(), generation: 0 }), base: main ?? 0 }
    this.#mark = new MarkFile(logDir)
  }

  /** Changes the catalog has seen. */
  get generation(): number {
    return this.#now.generation
  }

  get isMarked(): boolean {
    return this.#unmarked === undefined
  }

  /** Why no change can be made until the mark is written. */
  get trouble(): string | undefined {
    return this.#unmarked === undefined ? undefined : `the catalog cannot be marked: ${reasonOf(this.#unmarked)}`
  }

  /** Before a transaction. Throws when the mark could not be written. */
  requireMarked(): void {
    if (this.#unmarked !== undefined) throw this.#unmarked
  }

  /** Within a transaction. */
  count(): void {
    const { identity, generation, base } = this.#now
    const put = this.#sqlite.prepare('INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)')
    if (generation === 0) put.run('identity', identity)
    put.run('generation', String(generation + 1))
    put.run('base', String(base))
  }

  /** After a transaction. */
  committed(): void {
    this.#now = { ...this.#now, generation: this.#now.generation + 1 }
  }

  /** Once so many changes are on the disk. They are durable also where this fails: the next change says what is wrong before it begins. */
  async mark(generation: number): Promise<void> {
    this.#unmarked = await this.#mark.save({ ...this.#now, generation }).then(
      () => undefined,
      error => error
    )
  }

  /** All changes are in the main file, and SQLite's own log begins anew. */
  emptied(): void {
    this.#now = { ...this.#now, base: this.#now.generation }
  }

  close(): void {
    this.#mark.close()
  }
}
