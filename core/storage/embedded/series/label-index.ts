// An index from tag values to series over a registry, so that selecting series reads no rows.

import type { Table, TableColumn } from '../../../model/table.ts'
import { fixedArray, isBytesType } from '../../../model/types.ts'
import { ascending, Uint32List } from '../../../model/uint32-list.ts'
import type { Steps } from '../../../pace.ts'
import type { SeriesTags, TagMatch } from '../../engine.ts'
import { HashSlots } from '../../hash-slots.ts'
import { tableColumn } from '../catalog/logical.ts'
import { hashBytes } from './hash-bytes.ts'
import type { SeriesRegistry } from './series.ts'
import { entryHeadBytes } from './series-key.ts'

/** Code of a missing value. */
const absent = 0
/** Series, or tag values, handled in one step. */
const atOnce = 1000
/** Bytes of keys and values handled in one step. */
const bytesAtOnce = 256 << 10
/** Characters of values tested in one step; each test counts as some more. */
const stepLength = 16_384
const testCost = 16
/** A code that no tag has. */
const noCode = 0xffffffff

/** The tag values of all series by column; follows the registry. */
export class LabelIndex {
  readonly #registry: SeriesRegistry
  readonly #columns = new Map<number, LabelColumn>()
  /** Series of each logical table. */
  readonly #owned = new Map<number, Uint32List>()
  #size = 0

  constructor(registry: SeriesRegistry) {
    this.#registry = registry
  }

  /** Numbers of the series whose tags pass all tests, ascending; with `owner`, only those of a logical table. */
  *select(table: Table, matches: readonly TagMatch[], owner: number | undefined): Steps<Uint32Array> {
    // Series added from now on are ignored.
    const end = this.#registry.size
    while (this.#size < end && this.#growSome()) yield
    let found: Uint32Array =
      owner === undefined ? ascending(0, this.#size) : (this.#owned.get(owner)?.view().slice() ?? noCodes)
    for (const match of matches) {
      const tag = table.tags.find(({ name }) => name === match.column)
      if (tag !== undefined) found = narrowed(found, yield* this.#filter(tag, match))
      else if (!match.test('')) return noCodes
      yield
    }
    return found
  }

  /** A function from series number to the tags of a table, which are decoded: values as text, missing ones left out. */
  labels(table: Table): (tsid: number) => SeriesTags {
    const tags = table.tags.toSorted((a, b) => (a.name < b.name ? -1 : 1))
    const columns = tags.map(tag => this.#columns.get(tag.stored ?? tag.id))
    const layouts = new Map<string, readonly string[]>()
    return tsid => {
      const values: string[] = []
      let left = ''
      for (let i = 0; i < columns.length; i++) {
        const column = columns[i]
        const code = column?.codes[tsid] ?? absent
        if (code === absent) left += `${i},`
        else values.push(column!.texts[code]!)
      }
      let names = layouts.get(left)
      if (names === undefined) {
        names = tags.filter((_, i) => (columns[i]?.codes[tsid] ?? absent) !== absent).map(({ name }) => name)
        layouts.set(left, names)
      }
      return { table, names, values }
    }
  }

  /** Adds all series that are new in the registry. */
  *grow(): Steps<void> {
    while (this.#growSome()) yield
  }

  /** Decodes all values of some tags, which their texts take. */
  *decode(tags: readonly TableColumn[]): Steps<void> {
    for (const tag of tags) {
      const column = this.#columns.get(tag.stored ?? tag.id)
      while (column?.decode(tag)) yield
    }
  }

  *#filter(tag: TableColumn, { test, equals }: TagMatch): Steps<Filter> {
    const column = this.#columns.get(tag.stored ?? tag.id)
    if (column === undefined) return { codes: noCodes, passes: Uint8Array.of(Number(test(''))) }
    yield* this.decode([tag])
    // Series added between two steps are not part of the result.
    const { codes } = column
    const passes = new Uint8Array(column.texts.length)
    const only = equals === undefined ? undefined : column.find(equals)
    if (only !== undefined) passes[only] = 1
    else {
      let tested = 0
      for (let code = 0; code < passes.length; code++) {
        const text = column.texts[code]!
        passes[code] = Number(test(text))
        tested += text.length + testCost
        if (tested < stepLength) continue
        tested = 0
        yield
      }
    }
    return { codes, passes }
  }

  /** Adds some series that are new in the registry; true if there are more. */
  #growSome(): boolean {
    const end = Math.min(this.#registry.size, this.#size + atOnce)
    let bytes = 0
    for (; this.#size < end; this.#size++) {
      const keyLength = this.#registry.keyLength(this.#size)
      bytes += keyLength
      if (bytes > bytesAtOnce && bytes > keyLength) break
      const { view } = this.#registry.keyBlock(this.#size)
      const first = this.#registry.keyOffset(this.#size)
      for (let at = first; at < first + keyLength; ) {
        const id = view.getUint16(at, true)
        const length = view.getUint32(at + 2, true)
        at += entryHeadBytes
        if (id === tableColumn.id) this.#own(view.getUint32(at, true))
        else this.#column(id).set(this.#size, at - first, length)
        at += length
      }
    }
    return this.#size < this.#registry.size
  }

  #column(id: number): LabelColumn {
    let column = this.#columns.get(id)
    if (column === undefined) {
      column = new LabelColumn(this.#registry)
      this.#columns.set(id, column)
    }
    return column
  }

  #own(owner: number): void {
    let list = this.#owned.get(owner)
    if (list === undefined) {
      list = new Uint32List()
      this.#owned.set(owner, list)
    }
    list.push(this.#size)
  }
}

interface Filter {
  readonly codes: Uint32Array
  /** By code: whether the value passes. */
  readonly passes: Uint8Array
}

const noCodes = new Uint32Array(0)

/** The series of a list that pass; written over the list. */
function narrowed(series: Uint32Array, { codes, passes }: Filter): Uint32Array {
  let count = 0
  for (let i = 0; i < series.length; i++) {
    const tsid = series[i]!
    const code = tsid < codes.length ? codes[tsid]! : absent
    if (passes[code] === 1) series[count++] = tsid
  }
  return series.subarray(0, count)
}

/** The values of one tag by series. Each different value has a code; its bytes are those in the key of the first series that has it. */
class LabelColumn {
  /** Codes by series; series beyond its end have no value. */
  codes = new Uint32Array(1024)
  /** Texts by code, those that are decoded; the first one is for missing values. */
  readonly texts: string[] = ['']
  readonly #registry: SeriesRegistry
  readonly #slots = new HashSlots()
  /** By code, the first series that has the value, where the value begins in its key, and the value's bytes. */
  readonly #firsts = new Uint32List()
  readonly #starts = new Uint32List()
  readonly #lengths = new Uint32List()
  #isText = false

  constructor(registry: SeriesRegistry) {
    this.#registry = registry
    this.#add(0, 0, 0)
  }

  /** The value of a series that is `length` bytes of its key from `start` on. */
  set(tsid: number, start: number, length: number): void {
    const { bytes } = this.#registry.keyBlock(tsid)
    const at = this.#registry.keyOffset(tsid) + start
    const hash = hashBytes(bytes, at, at + length)
    let code = this.#seek(hash, bytes, at, length)
    if (code === undefined) {
      code = this.#add(tsid, start, length)
      this.#slots.add(hash, code)
    }
    if (tsid >= this.codes.length) {
      const grown = new Uint32Array(Math.max(tsid + 1, this.codes.length * 2))
      grown.set(this.codes)
      this.codes = grown
    }
    this.codes[tsid] = code
  }

  /** The code of a text; undefined if values of this type cannot be found by their bytes. */
  find(text: string): number | undefined {
    if (!this.#isText || text === '') return undefined
    const bytes = Buffer.from(text)
    return this.#seek(hashBytes(bytes, 0, bytes.length), bytes, 0, bytes.length) ?? noCode
  }

  /** Decodes some values by the type of a tag, which is known from the table only; true if there are more. */
  decode(tag: TableColumn): boolean {
    this.#isText = tag.type === 'String'
    const end = Math.min(this.#firsts.length, this.texts.length + atOnce)
    for (let decoded = 0; this.texts.length < end && decoded < bytesAtOnce; ) {
      const bytes = this.#bytesOf(this.texts.length)
      this.texts.push(textOf(tag, bytes))
      decoded += bytes.length
    }
    return this.texts.length < this.#firsts.length
  }

  #add(tsid: number, start: number, length: number): number {
    this.#firsts.push(tsid)
    this.#starts.push(start)
    this.#lengths.push(length)
    return this.#firsts.length - 1
  }

  /** The code of a value with a hash. */
  #seek(hash: number, bytes: Uint8Array, at: number, length: number): number | undefined {
    for (let code = this.#slots.find(hash); code >= 0; code = this.#slots.next()) {
      if (this.#lengths.at(code) !== length) continue
      const first = this.#firsts.at(code)
      const { bytes: known } = this.#registry.keyBlock(first)
      const start = this.#registry.keyOffset(first) + this.#starts.at(code)
      let i = 0
      while (i < length && known[start + i] === bytes[at + i]) i++
      if (i === length) return code
    }
    return undefined
  }

  #bytesOf(code: number): Buffer {
    const first = this.#firsts.at(code)
    const { buffer } = this.#registry.keyBlock(first).bytes
    return Buffer.from(buffer, this.#registry.keyOffset(first) + this.#starts.at(code), this.#lengths.at(code))
  }
}

/** The text of a stored value. */
function textOf({ type }: TableColumn, bytes: Buffer): string {
  if (isBytesType(type)) return bytes.toString()
  if (type === 'Boolean') return bytes[0] === 1 ? 'true' : 'false'
  const array = fixedArray(type)
  // Copies the bytes: numbers are read from multiples of their size only.
  return String(new array(Uint8Array.from(bytes).buffer)[0])
}
