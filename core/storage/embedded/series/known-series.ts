// Caches which series the keys of requests stand for. Forgets everything when a table changes in a way that could make it wrong.
import type { SeriesKeys, SeriesLabel } from '../../../model/series.ts'
import { saltOf } from '../../../model/series-hash.ts'
import type { Table } from '../../../model/table.ts'
import type { Steps } from '../../../pace.ts'
import type { SeriesAddition } from '../../engine.ts'
import { FoundSeries } from '../../found-series.ts'
import { KeyIndexes } from '../../key-index.ts'
import { isLogical } from '../../logical.ts'
import { tableColumn } from '../catalog/logical.ts'
import type { TableData } from '../memory/table-data.ts'
import { entryHeadBytes, putEntry } from './series-key.ts'

/** Targets that are kept between requests. */
const maxKeptTargets = 30_000
/** Keys cached per existing series, because different keys may stand for one series. */
const keysPerSeries = 2
const minKeyLimit = 200_000

/** The target of a series: the table that stores it, its time index and the column of the value, by id. */
interface SeriesTarget {
  readonly data: TableData
  readonly time: number
  readonly value: number
}

export class KnownSeries {
  readonly #indexes = new KeyIndexes()
  readonly #dataOf: (table: Table) => TableData
  readonly #load: () => Steps<void>
  #targets: SeriesTarget[] = []
  #targetsOf = new Map<TableData, number[]>()
  /** Tag columns of the table `has` was last called for. */
  #asked: TagColumns | undefined
  readonly #writer = new KeyWriter()
  #epoch = {}

  /** `load` reads the series of all tables that are not in memory yet. */
  constructor(dataOf: (table: Table) => TableData, load: () => Steps<void>) {
    this.#dataOf = dataOf
    this.#load = load
  }

  /** `table`: the table of all keys; without it the keys' bytes name theirs. */
  *find(scope: string, keys: SeriesKeys, table?: string): Steps<FoundSeries> {
    if (this.#targets.length > maxKeptTargets) this.forget()
    const found = new FoundSeries(keys, scope, this.#epoch, table === undefined ? undefined : saltOf(table))
    found.unknown = yield* this.#indexes.of(scope).find(keys, found, found.salt)
    // Looked for by their tags next.
    if (found.unknown.length > 0) yield* this.#load()
    return found
  }

  /** Changes whenever a table changes by more than new columns. */
  get epoch(): object {
    return this.#epoch
  }

  /** Assigns series numbers; unknown series get new ones. */
  add(found: FoundSeries, additions: readonly SeriesAddition[]): void {
    // Nothing is known any more; the caller notices by `isCurrent` and begins anew.
    if (!this.isCurrent(found)) return
    const index = this.#indexes.of(found.scope)
    const { bytes: keyBytes } = found.keys
    const view = new DataView(keyBytes.buffer, keyBytes.byteOffset, keyBytes.byteLength)
    const writer = this.#writer
    let of: Owner | undefined
    for (const { index: i, table, value, labels } of additions) {
      if (of?.table !== table || of.value !== value) of = this.#owner(table, value)
      const { registry } = this.#targets[of.target]!.data
      writer.begin(of.entry)
      putTags(writer, of, labels)
      const { bytes, length } = writer.finish()
      const tsid = registry.find(bytes, 0, length) ?? registry.add(bytes, 0, length)
      index.add(found.keys, view, i, of.target, tsid, found.salt)
      found.targets[i] = of.target
      found.tsids[i] = tsid
    }
    if (index.size <= minKeyLimit) return
    const series = this.#targets.reduce((sum, { data }) => sum + data.registry.size, 0)
    if (index.size > minKeyLimit + series * keysPerSeries) this.#indexes.forget(found.scope)
  }

  /** Whether a table has a series with these tags. */
  has(table: Table, labels: readonly SeriesLabel[]): boolean {
    if (this.#asked?.table !== table) this.#asked = tagColumns(table)
    const writer = this.#writer
    writer.begin(this.#asked.entry)
    for (const { name, value } of labels) {
      const id = this.#asked.ids.get(name)
      if (id === undefined) return false
      writer.put(id, value)
    }
    const { bytes, length } = writer.finish()
    return this.#dataOf(table).registry.find(bytes, 0, length) !== undefined
  }

  isCurrent(found: FoundSeries): boolean {
    return found.epoch === this.#epoch
  }

  target(number: number): SeriesTarget {
    return this.#targets[number]!
  }

  /** Forgets all keys. */
  forget(): void {
    this.#indexes.clear()
    this.#targets = []
    this.#targetsOf = new Map()
    this.#epoch = {}
  }

  #owner(table: Table, value: string): Owner {
    const data = this.#dataOf(table)
    const time = stored(table.timeIndex)
    const field = stored(table.columns.find(column => column.name === value)!)
    const target = this.#targetOf(data, time, field)
    return { ...tagColumns(table), value, target, names: [], lastIds: [] }
  }

  #targetOf(data: TableData, time: number, value: number): number {
    const known = this.#targetsOf.get(data) ?? []
    const found = known.find(target => this.#targets[target]!.time === time && this.#targets[target]!.value === value)
    if (found !== undefined) return found
    const target = this.#targets.push({ data, time, value }) - 1
    this.#targetsOf.set(data, [...known, target])
    return target
  }
}

function tagColumns(table: Table): TagColumns {
  const entry = isLogical(table) ? new Uint8Array(Uint32Array.of(table.id).buffer) : undefined
  return { table, ids: new Map(table.tags.map(tag => [tag.name, stored(tag)])), entry }
}

function stored(column: { readonly id: number; readonly stored?: number }): number {
  return column.stored ?? column.id
}

/** The properties of a table that the canonical bytes of a series depend on. */
interface TagColumns {
  readonly table: Table
  /** Ids of the tags in the physical table, by name. */
  readonly ids: ReadonlyMap<string, number>
  /** Key prefix of a logical table. */
  readonly entry: Uint8Array | undefined
}

interface Owner extends TagColumns {
  readonly value: string
  readonly target: number
  /** Tag names of the series before, by target, with their ids. */
  readonly names: string[]
  readonly lastIds: number[]
}

/** Consecutive series of a table mostly have the same tags in the same order. */
function putTags(writer: KeyWriter, { ids, names, lastIds }: Owner, labels: readonly SeriesLabel[]): void {
  for (let i = 0; i < labels.length; i++) {
    const { name, value } = labels[i]!
    if (names[i] !== name) {
      names[i] = name
      lastIds[i] = ids.get(name)!
    }
    writer.put(lastIds[i]!, value)
  }
}

/** Writes the canonical bytes of a series, see series.ts. */
class KeyWriter {
  readonly #ids: number[] = []
  readonly #values: Uint8Array[] = []
  #bytes = new Uint8Array(1024)
  #length = 0
  #isSorted = true

  begin(entry: Uint8Array | undefined): void {
    this.#ids.length = this.#values.length = 0
    this.#length = 0
    this.#isSorted = true
    if (entry !== undefined) this.put(tableColumn.id, entry)
  }

  put(id: number, value: Uint8Array): void {
    const count = this.#ids.push(id)
    if (count > 1 && id < this.#ids[count - 2]!) this.#isSorted = false
    this.#values.push(value)
    this.#length += entryHeadBytes + value.length
  }

  finish(): { readonly bytes: Uint8Array; readonly length: number } {
    const length = this.#length
    if (length > this.#bytes.length) this.#bytes = new Uint8Array(length * 2)
    const [ids, values, bytes] = [this.#ids, this.#values, this.#bytes]
    const order = this.#isSorted ? undefined : Array.from(ids, (_, i) => i).sort((i, j) => ids[i]! - ids[j]!)
    let at = 0
    for (let n = 0; n < ids.length; n++) {
      const i = order === undefined ? n : order[n]!
      at = putEntry(bytes, at, ids[i]!, values[i]!, 0, values[i]!.length)
    }
    return { bytes, length }
  }
}
