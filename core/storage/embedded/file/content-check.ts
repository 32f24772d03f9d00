// Verifies the checksums of the data files that existed at the start, before the first query that needs them.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { DbError } from '../../../errors.ts'
import type { Table } from '../../../model/table.ts'
import { after } from '../../../timer.ts'
import type { DataFile } from '../catalog/catalog-rows.ts'
import { type ChecksumOf, contentDamage } from '../repair/data-check.ts'

/** Milliseconds a query waits for this; files that take longer are verified in the background. */
const patience = 5_000

export class ContentCheck {
  readonly #dataDir: string
  readonly #checksumOf: ChecksumOf
  /** Paths of files that are not verified yet. Files written later need no check. */
  readonly #unseen: Set<string>
  /** Damaged files, and what is wrong with them. */
  readonly #damaged = new Map<string, string>()
  readonly #looks = new Map<string, Promise<void>>()
  #stopped = false

  /** `files` are those of the catalog at the start. */
  constructor(dataDir: string, files: readonly DataFile[], checksumOf: ChecksumOf) {
    this.#dataDir = dataDir
    this.#checksumOf = checksumOf
    this.#unseen = new Set(files.map(({ path }) => path))
  }

  /** Throws `TableUnavailable` if a file is damaged; verifies files that were not verified yet. A file that cannot be read is looked at again by the next query. */
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
      const damage = this.#stopped ? undefined : await contentDamage(path, file, this.#checksumOf)
      if (damage !== undefined) this.#damaged.set(file.path, damage)
    } catch (error) {
      // A file that was removed meanwhile has been merged or has expired.
      if (!this.#stopped && existsSync(path)) throw error
    } finally {
      this.#looks.delete(file.path)
    }
    this.#unseen.delete(file.path)
  }
}
