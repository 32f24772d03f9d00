// Maps keys of requests to series, and knows which series the cluster has. A series number is a keyed hash of the labels, so all processes
// compute the same one.
import type { SeriesKeys, SeriesLabel } from '../../model/series.ts'
import { KeyHash, saltOf } from '../../model/series-hash.ts'
import type { Table } from '../../model/table.ts'
import type { Steps } from '../../pace.ts'
import type { SeriesAddition } from '../engine.ts'
import { FoundSeries } from '../found-series.ts'
import { KeyIndexes } from '../key-index.ts'
import { isLogical } from '../logical.ts'
import { TsidSet } from './tsid-set.ts'

/** The meaning of a key. */
export interface SeriesEntry {
  readonly table: Table
  /** Name of the value column. */
  readonly value: string
  readonly labels: readonly SeriesLabel[]
  /** The series number in a logical table. */
  readonly tsid: bigint
  /** The number as two 32-bit integers. */
  readonly low: number
  readonly high: number
  /** Whether the series is known to exist in the cluster. Forgotten together with the entry. */
  isStored: boolean
}

/** Maximum cached keys. */
const maxEntries = 2_000_000

export class KnownSeries {
  readonly #load: (table: Table, since: number, take: (tsid: bigint) => void) => Promise<void>
  readonly #indexes = new KeyIndexes()
  readonly #stored = new Map<number, { readonly set: TsidSet; loadedAt: number }>()
  #hash = new KeyHash()
  #entries: SeriesEntry[] = []
  #epoch = {}

  /** `load` reads the numbers of all series of a physical table added since a time, in milliseconds since 1970. */
  constructor(load: (table: Table, since: number, take: (tsid: bigint) => void) => Promise<void>) {
    this.#load = load
  }

  /** 16 bytes as hexadecimal digits, the same in every process of a cluster. */
  useKey(key: string): void {
    const bytes = Buffer.from(key, 'hex')
    this.#hash = new KeyHash(Int32Array.from({ length: 4 }, (_, i) => bytes.readInt32LE(i * 4)))
  }

  *find(scope: string, keys: SeriesKeys, table?: string): Steps<FoundSeries> {
    if (this.#entries.length > maxEntries) this.forget()
    const found = new FoundSeries(keys, scope, this.#epoch, table === undefined ? undefined : saltOf(table))
    found.unknown = yield* this.#indexes.of(scope).find(keys, found, found.salt)
    return found
  }

  add(found: FoundSeries, additions: readonly SeriesAddition[]): void {
    if (!this.isCurrent(found)) return
    const index = this.#indexes.of(found.scope)
    const { bytes } = found.keys
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    for (const { index: i, table, value, labels } of additions) {
      // Copied, because the labels lie in the memory of a request.
      const kept = labels.map(({ name, value }) => ({ name, value: Uint8Array.from(value) }))
      const tsid = isLogical(table) ? this.tsid(table, labels) : 0n
      const low = Number(BigInt.asIntN(32, tsid))
      const high = Number(BigInt.asIntN(32, tsid >> 32n))
      const entry = this.#entries.push({ table, value, labels: kept, tsid, low, high, isStored: false }) - 1
      index.add(found.keys, view, i, 0, entry, found.salt)
      found.tsids[i] = entry
    }
  }

  isCurrent(found: FoundSeries): boolean {
    return found.epoch === this.#epoch
  }

  entry(number: number): SeriesEntry {
    return this.#entries[number]!
  }

  forget(): void {
    this.#indexes.clear()
    this.#entries = []
    this.#epoch = {}
    this.#stored.clear()
  }

  /** The number of a series: 64 bits of a keyed hash of its table and its labels. */
  tsid({ id }: Table, labels: readonly SeriesLabel[]): bigint {
    const sorted =
      labels.length < 2 ? labels : labels.toSorted((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0))
    const parts: (Uint8Array | Uint32Array)[] = [Buffer.from(`${id}`)]
    for (const { name, value } of sorted) {
      const text = Buffer.from(name)
      parts.push(Uint32Array.of(text.length), text, Uint32Array.of(value.length), value)
    }
    const bytes = Buffer.concat(parts.map(part => new Uint8Array(part.buffer, part.byteOffset, part.byteLength)))
    this.#hash.of(new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength), 0, bytes.byteLength)
    return (BigInt(this.#hash.a >>> 0) << 32n) | BigInt(this.#hash.b >>> 0)
  }

  /** Whether the cluster is known to have a series of a logical table. */
  has(physical: Table, table: Table, labels: readonly SeriesLabel[]): boolean {
    return this.#stored.get(physical.id)?.set.has(this.tsid(table, labels)) ?? false
  }

  hasTsid(physical: Table, tsid: bigint): boolean {
    return this.#stored.get(physical.id)?.set.has(tsid) ?? false
  }

  /** Notes that the cluster has the series. */
  confirm(physical: Table, tsid: bigint): void {
    this.#of(physical).set.add(tsid)
  }

  countOf(physical: Table): number {
    return this.#stored.get(physical.id)?.set.size ?? 0
  }

  /** Reads the series that other processes added. */
  async load(physical: Table): Promise<void> {
    const stored = this.#of(physical)
    const now = Date.now()
    await this.#load(physical, stored.loadedAt, tsid => stored.set.add(tsid))
    // Allows for differences between clocks.
    stored.loadedAt = now - 60_000
  }

  #of({ id }: Table) {
    const found = this.#stored.get(id) ?? { set: new TsidSet(), loadedAt: 0 }
    this.#stored.set(id, found)
    return found
  }
}
