// Whether data files that were there at the start hold what was written: each is read once against its checksum, for the first query that
// needs it.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { DbError } from '../../../errors.ts'
import type { Table } from '../../../model/table.ts'
import { after } from '../../../timer.ts'
import type { DataFile } from '../catalog/catalog-rows.ts'
import { type ChecksumOf, requireContent } from '../repair/data-check.ts'

/** Milliseconds a query waits for it; with more files than can be read in that time the rest is read beside it. */
const patience = 5_000

export class ContentCheck {
  readonly #dataDir: string
  readonly #checksumOf: ChecksumOf
  /** Paths of files nobody looked at yet. What is written later is sound. */
  readonly #unseen: Set<string>
  /** What is wrong with files that are not sound. */
  readonly #damaged = new Map<string, string>()
  readonly #looks = new Map<string, Promise<void>>()
  #stopped = false

  /** `files` are those of the catalog at the start. */
  constructor(dataDir: string, files: readonly DataFile[], checksumOf: ChecksumOf) {
    this.#dataDir = dataDir
    this.#checksumOf = checksumOf
    this.#unseen = new Set(files.map(({ path }) => path))
  }

  /** Throws `TableUnavailable` for a file known to be damaged, after a look at those nobody looked at yet. */
  async require(table: Table, files: readonly DataFile[], signal: AbortSignal): Promise<void> {
    const unseen = this.#unseen.size === 0 ? [] : files.filter(({ path }) => this.#unseen.has(path))
    if (unseen.length > 0) await this.#wait(Promise.all(unseen.map(file => this.#look(file))), signal)
    if (this.#damaged.size === 0) return
    for (const { path } of files) {
      const damage = this.#damaged.get(path)
      if (damage === undefined) continue
      throw new DbError('TableUnavailable', `Table ${table.database}.${table.name} is unavailable: ${damage}`)
    }
  }

  stop(): void {
    this.#stopped = true
  }

  #wait(looks: Promise<unknown>, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const end = () => {
        timer.stop()
        signal.removeEventListener('abort', stop)
        resolve()
      }
      const stop = () => {
        timer.stop()
        reject(signal.reason)
      }
      const timer = after(patience, end)
      signal.addEventListener('abort', stop, { once: true })
      looks.then(end, reject)
    })
  }

  #look(file: DataFile): Promise<void> {
    const running = this.#looks.get(file.path)
    if (running !== undefined) return running
    const look = this.#read(file)
    this.#looks.set(file.path, look)
    return look
  }

  async #read(file: DataFile): Promise<void> {
    const path = join(this.#dataDir, file.path)
    try {
      if (!this.#stopped) await requireContent(path, file, this.#checksumOf)
    } catch (error) {
      // A file that went while it was read has been merged or is past its time.
      if (!this.#stopped && existsSync(path))
        this.#damaged.set(file.path, error instanceof Error ? error.message : String(error))
    } finally {
      this.#looks.delete(file.path)
      this.#unseen.delete(file.path)
    }
  }
}
