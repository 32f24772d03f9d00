// The series table: series of the registry as spool files, so that SQL can join rows with their tags.
import type { Table, TableColumn } from '../../../model/table.ts'
import { ascending } from '../../../model/uint32-list.ts'
import { serialQueue } from '../../../serial.ts'
import { seriesColumns } from '../catalog/logical.ts'
import { type FileColumn, storedColumn } from '../datafile/stored-column.ts'
import type { SeriesRegistry } from '../series/series.ts'
import { decodeTags } from '../series/tags.ts'
import type { Spool, SpoolFile } from '../spool/spool.ts'
import { groupsOf, type SpoolPiece } from '../spool/spool-groups.ts'
import { readSpooled } from '../spool/spool-sql.ts'

/** Series decoded per turn of the event loop, and approximate bytes of each in a file. */
const batch = 5_000
const seriesBytes = 256

/** Files of more series are not merged. */
const maxMergedSeries = 100_000

interface Part {
  readonly file: SpoolFile
  readonly series: number
}

/** Numbers and tags of series, for one set of tag columns. Its files stay while somebody reads them. */
export class SeriesTable {
  /** An SQL expression that can stand for a table. */
  readonly from: string
  readonly #tags: readonly TableColumn[]
  readonly #files: readonly SpoolFile[]

  constructor(tags: readonly TableColumn[], files: readonly SpoolFile[]) {
    this.#tags = tags
    this.#files = files
    this.from = readSpooled(files, columnsOf(tags))
  }

  /** A tag added to the table later is null in all series. */
  has({ id }: TableColumn): boolean {
    return this.#tags.some(tag => tag.id === id)
  }

  pin(): void {
    for (const file of this.#files) file.pin()
  }

  unpin(): void {
    for (const file of this.#files) file.unpin()
  }
}

function columnsOf(tags: readonly TableColumn[]): readonly FileColumn[] {
  return [{ name: '__tsid', type: 'UInt32' }, ...tags.map(({ physical, type }) => ({ name: physical, type }))]
}

/** The source of the series, read at each `sync`. */
interface SeriesSource {
  readonly table: Table
  readonly registry: SeriesRegistry
}

/**
 * The series tables of one table. Files of all series are kept, for another set of tags other ones; readers of the old ones continue with them.
 * Where writing those that no file has would take longer, a statement about some series gets a file of its own.
 */
export class SeriesTables {
  readonly #spool: Spool
  readonly #source: SeriesSource
  #tags: readonly TableColumn[] = []
  #parts: readonly Part[] = []
  #current: SeriesTable | undefined
  readonly #serially = serialQueue()
  /** Series written for statements alone since the files of all series grew: with as many as are missing there, those are written. */
  #apart = 0
  #waiting = 0
  #usedAt = 0
  #dropped = false

  constructor(spool: Spool, source: SeriesSource) {
    this.#spool = spool
    this.#source = source
  }

  /** All series at the time of the call, or at least some of them, which ascend. The caller must unpin the table. */
  async sync(some?: Uint32Array): Promise<SeriesTable> {
    if (some !== undefined && this.#apart + some.length < this.#missing()) return this.#writeApart(some)
    this.#usedAt = Date.now()
    this.#waiting++
    try {
      return await this.#serially(() => this.#sync())
    } finally {
      this.#waiting--
    }
  }

  /** Removes files that nobody used since `time` (milliseconds since 1970). */
  forget(time: number): void {
    if (this.#waiting === 0 && this.#usedAt < time) this.#clear()
  }

  drop(): void {
    this.#dropped = true
    if (this.#waiting === 0) this.#clear()
  }

  #clear(): void {
    for (const { file } of this.#parts) file.drop()
    this.#parts = []
    this.#current = undefined
  }

  async #sync(): Promise<SeriesTable> {
    const { table, registry } = this.#source
    const tags = seriesColumns(table)
    if (!areSame(tags, this.#tags)) {
      this.#clear()
      this.#tags = tags
    }
    const { size } = registry
    const known = size - this.#missing()
    if (this.#current === undefined || known < size) {
      this.#apart = 0
      let kept = this.#parts.length
      let first = known
      while (kept > 0 && this.#parts[kept - 1]!.series <= Math.min(size - first, maxMergedSeries)) {
        first -= this.#parts[--kept]!.series
      }
      const file = await this.#write(tags, ascending(first, size))
      const gone = this.#parts.slice(kept)
      this.#parts = [...this.#parts.slice(0, kept), { file, series: size - first }]
      this.#current = new SeriesTable(
        tags,
        this.#parts.map(part => part.file)
      )
      for (const { file } of gone) file.drop()
    }
    const current = this.#current
    current.pin()
    if (this.#dropped) this.#clear()
    return current
  }

  /** Number of series that the files of all series lack. */
  #missing(): number {
    const { table, registry } = this.#source
    if (!areSame(seriesColumns(table), this.#tags)) return registry.size
    return this.#parts.reduce((left, { series }) => left - series, registry.size)
  }

  async #writeApart(tsids: Uint32Array): Promise<SeriesTable> {
    this.#apart += tsids.length
    const tags = seriesColumns(this.#source.table)
    const file = await this.#write(tags, tsids)
    const series = new SeriesTable(tags, [file])
    series.pin()
    file.drop()
    return series
  }

  #write(tags: readonly TableColumn[], tsids: Uint32Array): Promise<SpoolFile> {
    const columns = columnsOf(tags)
    const groups = () => groupsOf(columns, pieces(tags, this.#source.registry, tsids))
    return this.#spool.write(columns.map(storedColumn), groups, tsids.length * seriesBytes, { level: 0 })
  }
}

function* pieces(tags: readonly TableColumn[], registry: SeriesRegistry, tsids: Uint32Array): Generator<SpoolPiece> {
  for (let at = 0; at < tsids.length; at += batch) {
    const some = tsids.subarray(at, at + batch)
    yield {
      from: 0,
      rows: some.length,
      columns: [{ kind: 'fixed', values: some }, ...decodeTags(registry, some, tags)]
    }
  }
}

function areSame(a: readonly TableColumn[], b: readonly TableColumn[]): boolean {
  return a.length === b.length && a.every((tag, i) => tag.id === b[i]!.id && tag.physical === b[i]!.physical)
}
