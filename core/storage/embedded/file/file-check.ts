// Checks that the data files in the catalog exist with full length: before the engine answers, or while it does.
import { join } from 'node:path'
import { eachConcurrent } from '../../../concurrent.ts'
import { DbError } from '../../../errors.ts'
import type { Logger } from '../../../log/log.ts'
import type { Table } from '../../../model/table.ts'
import type { DataFile } from '../catalog/catalog-rows.ts'
import { sizeOf } from '../open.ts'

interface FileCheckDependencies {
  readonly dataDir: string
  /** Files to look at. */
  readonly files: readonly DataFile[]
  /** Files checked at a time. */
  readonly parallelism: number
  readonly log: Logger
}

export class FileCheck {
  readonly #parts: FileCheckDependencies
  /** By path: files not known to be complete. */
  readonly #doubtful: Map<string, DataFile>
  /** The damage of each file that was or is being checked; undefined: none. */
  readonly #looks = new Map<string, Promise<string | undefined>>()
  #stopped = false

  constructor(parts: FileCheckDependencies) {
    this.#parts = parts
    this.#doubtful = new Map(parts.files.map(file => [file.path, file]))
  }

  /** All files were checked and are complete. */
  get isSound(): boolean {
    return this.#doubtful.size === 0
  }

  /** Checks all files. Throws `StorageUnavailable` for the first damaged one. */
  async runFirst(): Promise<void> {
    await this.#forEach(async file => {
      const damage = await this.#look(file)
      if (damage !== undefined) throw new DbError('StorageUnavailable', damage)
    })
  }

  /** Checks all files while queries run; `isNeeded` tells whether a file is still in the catalog. Never throws. */
  async runBeside(isNeeded: (path: string) => boolean): Promise<void> {
    const { log } = this.#parts
    const started = performance.now()
    let damaged = 0
    await this.#forEach(async file => {
      const damage = await this.#look(file)
      if (damage === undefined || this.#stopped) return
      if (!isNeeded(file.path)) this.#doubtful.delete(file.path)
      else {
        damaged++
        log.error({ file: file.path }, `${damage}; its table answers no queries, and no files are merged or removed`)
      }
    })
    if (this.#stopped) return
    const milliseconds = Math.round(performance.now() - started)
    log.info({ files: this.#parts.files.length, damaged, milliseconds }, 'data files were checked')
  }

  /** Throws `TableUnavailable` for a table's first damaged file; checks files that were not checked yet. */
  async require(table: Table, files: readonly DataFile[]): Promise<void> {
    if (this.isSound) return
    for (const { path } of files) {
      const file = this.#doubtful.get(path)
      const damage = file && (await this.#look(file))
      if (damage === undefined) continue
      throw new DbError('TableUnavailable', `Table ${table.database}.${table.name} is unavailable: ${damage}`)
    }
  }

  stop(): void {
    this.#stopped = true
  }

  async #forEach(work: (file: DataFile) => Promise<void>): Promise<void> {
    const { files, parallelism } = this.#parts
    await eachConcurrent(files, parallelism, async file => {
      if (!this.#stopped) await work(file)
    })
  }

  async #look(file: DataFile): Promise<string | undefined> {
    const { path } = file
    let look = this.#looks.get(path)
    if (look === undefined) {
      look = describeDamage(join(this.#parts.dataDir, path), file.bytes)
      this.#looks.set(path, look)
    }
    const damage = await look
    if (damage === undefined) {
      this.#doubtful.delete(path)
      this.#looks.delete(path)
    }
    return damage
  }
}

async function describeDamage(path: string, bytes: number): Promise<string | undefined> {
  const size = await sizeOf(path)
  if (size === bytes) return undefined
  const found = size === undefined ? 'is missing' : `has ${size} bytes`
  return `data file ${path} ${found}, the catalog says ${bytes} bytes: restore it from a backup, or see what weir storage repair would do`
}
