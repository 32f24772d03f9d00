// Reads index sidecars for queries, and caches as much as fits in memory.
import { join } from 'node:path'
import type { DataFile } from '../catalog/catalog-rows.ts'
import { type CountsHead, countsPath } from './count-file.ts'
import { type GroupRows, type IndexHead, indexPath, type Section, type SectionKind, sectionBytes } from './format.ts'
import { areSound, readHead, readSection } from './sidecar.ts'

/** A column's filters: those of group `i` begin where those before it end. */
export interface Filters {
  readonly section: Section
  readonly words: Uint32Array
}

interface Known {
  readonly head: IndexHead
  readonly start: number
  /** By number of the section. */
  readonly filters: Map<number, Filters>
  /** Whether its file of counts is as it was written, once somebody has asked. */
  areCountsSound?: Promise<boolean>
  bytes: number
}

/** Bytes a head takes for each row group and column. */
const headBytes = 8

/** Is told of files whose index sidecar cannot be used, or lacks the filters of a column that should have some. */
type IndexMissed = (file: DataFile, found: 'nothing' | 'no filters') => void

export class IndexReader {
  readonly #dataDir: string
  readonly #limit: number
  readonly #missed: IndexMissed
  readonly #looked: (result: 'hit' | 'miss') => void
  /** By path of the data file; the one that was used last comes last. */
  readonly #known = new Map<string, Known>()
  #bytes = 0

  /** `looked` is told of every look for something that may be in memory. */
  constructor(
    dataDir: string,
    limit: number,
    missed: IndexMissed,
    looked: (result: 'hit' | 'miss') => void = () => {}
  ) {
    this.#dataDir = dataDir
    this.#limit = limit
    this.#missed = missed
    this.#looked = looked
  }

  /** Bytes kept in memory. */
  get bytes(): number {
    return this.#bytes
  }

  /** The filters of a column; undefined where the file has none of this kind. */
  async filters(file: DataFile, column: number, kinds: readonly SectionKind[]): Promise<Filters | undefined> {
    const known = await this.#open(file)
    const number = known?.head.sections.findIndex(section => section.column === column && kinds.includes(section.kind))
    if (known === undefined || number === undefined || number < 0) return undefined
    const kept = known.filters.get(number)
    this.#looked(kept === undefined ? 'miss' : 'hit')
    if (kept !== undefined) return kept
    const section = known.head.sections[number]!
    const words = await readSection(this.#path(file), known.start, section)
    if (words === undefined) {
      this.forget(file.path)
      this.#missed(file, 'nothing')
      return undefined
    }
    const filters = { section, words }
    if (this.#known.get(file.path) === known && !known.filters.has(number)) this.#keep(known, number, filters)
    return filters
  }

  /** A query looked for filters that the file's index sidecar does not have. */
  miss(file: DataFile): void {
    this.#missed(file, 'no filters')
  }

  /** The contents of a data file's file of counts; undefined if there is none that can be used. */
  async counts(file: DataFile): Promise<CountsHead | undefined> {
    const known = await this.#open(file)
    const counts = known?.head.counts
    if (known === undefined || counts === undefined || counts.columns.length === 0) return undefined
    known.areCountsSound ??= areSound(countsPath(join(this.#dataDir, file.path)), counts)
    if (await known.areCountsSound) return counts
    this.forget(file.path)
    this.#missed(file, 'nothing')
    return undefined
  }

  /** The row groups of a data file, as far as its index sidecar knows them. */
  async groups(file: DataFile): Promise<readonly GroupRows[] | undefined> {
    return (await this.#open(file))?.head.groups
  }

  /** The index sidecar was made anew or is gone. */
  forget(path: string): void {
    this.#bytes -= this.#known.get(path)?.bytes ?? 0
    this.#known.delete(path)
  }

  async #open(file: DataFile): Promise<Known | undefined> {
    const known = this.#known.get(file.path)
    if (known !== undefined) {
      this.#known.delete(file.path)
      this.#known.set(file.path, known)
      return known
    }
    const read = await readHead(this.#path(file))
    if (read === undefined || read.head.data.checksum !== file.checksum) {
      this.#missed(file, 'nothing')
      return undefined
    }
    const groups = read.head.sections.reduce(
      (sum, section) => sum + section.blocks.length,
      read.head.groups?.length ?? 0
    )
    const opened: Known = { ...read, filters: new Map(), bytes: groups * headBytes }
    this.forget(file.path)
    this.#known.set(file.path, opened)
    this.#bytes += opened.bytes
    this.#makeRoom()
    return opened
  }

  #keep(known: Known, number: number, filters: Filters): void {
    const bytes = sectionBytes(filters.section)
    if (bytes > this.#limit) return
    known.filters.set(number, filters)
    known.bytes += bytes
    this.#bytes += bytes
    this.#makeRoom()
  }

  #makeRoom(): void {
    for (const [path] of this.#known) {
      if (this.#bytes <= this.#limit || this.#known.size <= 1) return
      this.forget(path)
    }
  }

  #path(file: DataFile): string {
    return indexPath(join(this.#dataDir, file.path))
  }
}
