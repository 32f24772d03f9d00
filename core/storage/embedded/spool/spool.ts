// Rows for the query process, as Parquet files of a private folder that live as long as somebody reads them or may read them again.
import { closeSync, mkdirSync, mkdtempSync, openSync, rmSync, statfsSync, writeSync } from 'node:fs'
import { type FileHandle, open, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { ColumnData } from '../../../model/batch.ts'
import { type ParquetColumn, ParquetWriter, type WriterOptions } from '../parquet/index.ts'
import { removeFolder } from './remove-folder.ts'

/** Rows `from` to `from + rows` of some columns. */
export interface SpoolGroup {
  readonly rows: number
  readonly from: number
  readonly columns: readonly ColumnData[]
}

interface SpoolOptions {
  /** A folder in memory, absolute; undefined where there is none. */
  readonly memory: string | undefined
  /** The folder on disk, for files that find no room in memory; absolute. */
  readonly disk: string
}

/** Free bytes that stay free in memory. */
const reserve = 64 << 20

export class Spool {
  /** Absolute, the first with room is taken; private, made anew. */
  readonly folders: readonly string[]
  /** The folder in memory, which somebody has to remove if the process is killed; undefined without one. */
  readonly leftovers: string | undefined
  readonly #files = new Set<SpoolFile>()
  #next = 0
  #open = true

  /** Throws the file system's error if the folder on disk cannot be made. */
  constructor({ memory, disk }: SpoolOptions) {
    makeFolder(disk)
    const own = memory === undefined ? undefined : tryFolder(memory)
    this.folders = own === undefined ? [disk] : [own, disk]
    this.leftovers = own
  }

  /** Bytes of all files. */
  get bytes(): number {
    let bytes = 0
    for (const file of this.#files) bytes += file.bytes
    return bytes
  }

  /** Those of them in memory. */
  get memoryBytes(): number {
    let bytes = 0
    for (const file of this.#files)
      if (this.leftovers !== undefined && file.path.startsWith(this.leftovers)) bytes += file.bytes
    return bytes
  }

  get files(): number {
    return this.#files.size
  }

  /** `groups` begins anew where a folder turns out to be full. `expected`: bytes of the file, about. Between two groups other work gets its turn. */
  async write(
    columns: readonly ParquetColumn[],
    groups: () => Iterable<SpoolGroup | undefined>,
    expected: number,
    options: WriterOptions
  ): Promise<SpoolFile> {
    for (const [i, folder] of this.folders.entries()) {
      const last = i === this.folders.length - 1
      if (!last && roomIn(folder) < expected + reserve) continue
      const path = join(folder, `${this.#next++}.parquet`)
      try {
        const writeFile = folder === this.leftovers ? writeToMemory : writeToDisk
        const bytes = await writeFile(path, columns, groups(), options)
        const file = new SpoolFile(path, bytes, file => this.#files.delete(file))
        this.#files.add(file)
        if (!this.#open) file.drop()
        return file
      } catch (error) {
        await rm(path, { force: true })
        if (last || !isFull(error)) throw error
      }
    }
    throw new Error('the spool has no folder')
  }

  /** Everything goes; nobody reads it any more. */
  close(): void {
    this.#open = false
    if (this.leftovers !== undefined) removeFolder(this.leftovers)
    rmSync(this.folders.at(-1)!, { recursive: true, force: true })
  }
}

/** It is there from the first `pin` to the last `unpin` after `drop`. */
export class SpoolFile {
  readonly path: string
  readonly bytes: number
  readonly #gone: (file: SpoolFile) => void
  #readers = 0
  #dropped = false

  constructor(path: string, bytes: number, gone: (file: SpoolFile) => void) {
    this.path = path
    this.bytes = bytes
    this.#gone = gone
  }

  pin(): void {
    this.#readers++
  }

  unpin(): void {
    this.#readers--
    if (this.#dropped && this.#readers === 0) this.#remove()
  }

  /** Nobody begins to read it any more. */
  drop(): void {
    if (this.#dropped) return
    this.#dropped = true
    if (this.#readers === 0) this.#remove()
  }

  #remove(): void {
    this.#gone(this)
    // A file left behind is removed with the folder.
    rm(this.path, { force: true }).catch(() => {})
  }
}

/** Empty, whatever a crash left, and nobody else's. */
function makeFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(dirname(folder), { recursive: true })
  mkdirSync(folder, { mode: 0o700 })
}

/** A folder in it that only this process knows: what clears up after another one does not meet it. */
function tryFolder(folder: string): string | undefined {
  try {
    makeFolder(folder)
    return mkdtempSync(join(folder, 'spool-'))
  } catch {
    return undefined
  }
}

/** Milliseconds in which a group is put together without a pause. */
const turn = 10

/** Bytes of the file. What is written is copied once, and no other thread is asked to. */
async function writeToMemory(
  path: string,
  columns: readonly ParquetColumn[],
  groups: Iterable<SpoolGroup | undefined>,
  options: WriterOptions
): Promise<number> {
  const fd = openSync(path, 'wx', 0o600)
  try {
    const take = (bytes: Uint8Array) => {
      for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at)
    }
    const writer = new ParquetWriter(columns, take, options)
    let since = performance.now()
    for (const group of groups) {
      if (group !== undefined) writer.writeRowGroup(group.rows, group.columns, group.from)
      else if (performance.now() - since < turn) continue
      await new Promise(resolve => setImmediate(resolve))
      since = performance.now()
    }
    return writer.finish().bytes
  } finally {
    closeSync(fd)
  }
}

/** Bytes of the file. */
async function writeToDisk(
  path: string,
  columns: readonly ParquetColumn[],
  groups: Iterable<SpoolGroup | undefined>,
  options: WriterOptions
): Promise<number> {
  const file = await open(path, 'wx', 0o600)
  try {
    let pieces: Uint8Array[] = []
    // The writer uses its memory again.
    const writer = new ParquetWriter(columns, bytes => void pieces.push(Buffer.from(bytes)), options)
    for (const group of groups) {
      if (group === undefined) continue
      writer.writeRowGroup(group.rows, group.columns, group.from)
      await writeAll(file, pieces)
      pieces = []
    }
    const { bytes } = writer.finish()
    await writeAll(file, pieces)
    return bytes
  } finally {
    await file.close()
  }
}

async function writeAll(file: FileHandle, pieces: readonly Uint8Array[]): Promise<void> {
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0)
  const { bytesWritten } = await file.writev(pieces)
  if (bytesWritten === length) return
  const all = Buffer.concat(pieces)
  for (let at = bytesWritten; at < length; ) at += (await file.write(all, at)).bytesWritten
}

function roomIn(folder: string): number {
  try {
    const { bavail, bsize } = statfsSync(folder)
    return bavail * bsize
  } catch {
    return 0
  }
}

function isFull(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOSPC' || error.code === 'EDQUOT')
}
