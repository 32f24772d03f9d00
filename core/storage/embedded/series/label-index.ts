// An index from tag values to series over a registry, so that selecting series reads no rows.

import type { Table, TableColumn } from '../../../model/table.ts'
import { fixedArray, isBytesType } from '../../../model/types.ts'
import { Uint32List } from '../../../model/uint32-list.ts'
import type { Steps } from '../../../pace.ts'
import type { SeriesTags, TagMatch } from '../../engine.ts'
import { tableColumn } from '../catalog/logical.ts'
import type { SeriesRegistry } from './series.ts'

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
    while (this.#size < end && this.grow(atOnce)) yield
    let found = owner === undefined ? numbersTo(this.#size) : (this.#owned.get(owner)?.view().slice() ?? noCodes)
    for (const match of matches) {
      const tag = table.tags.find(({ name }) => name === match.column)
      if (tag !== undefined) found = narrowed(found, yield* this.#filter(tag, match))
      else if (!match.test('')) return noCodes
      yield
    }
    return found
  }

  /** A function from series number to the tags of a table: values as text, missing ones left out. */
  labels(table: Table): (tsid: number) => SeriesTags {
    const tags = table.tags.toSorted((a, b) => (a.name < b.name ? -1 : 1))
    const columns = tags.map(tag => {
      const column = this.#columns.get(tag.stored ?? tag.id)
      column?.decode(tag)
      return column
    })
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

  /** Decodes up to `max` tag values by the types of the table's columns; true if there are more. Otherwise the first query does. */
  decode(tags: readonly TableColumn[], max: number): boolean {
    let left = max
    for (const tag of tags) left -= this.#columns.get(tag.stored ?? tag.id)?.decode(tag, left) ?? 0
    return left <= 0
  }

  *#filter(tag: TableColumn, { test, equals }: TagMatch): Steps<Filter> {
    const column = this.#columns.get(tag.stored ?? tag.id)
    if (column === undefined) return { codes: noCodes, passes: Uint8Array.of(Number(test(''))) }
    while (column.decode(tag, atOnce) === atOnce) yield
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

  /** Adds up to `max` series that are new in the registry, fewer if they are long; true if there are more. */
  grow(max = Number.POSITIVE_INFINITY): boolean {
    const end = Math.min(this.#registry.size, this.#size + max)
    let bytes = 0
    for (; this.#size < end; this.#size++) {
      const key = this.#registry.key(this.#size)
      bytes += key.length
      if (bytes > bytesAtOnce && bytes > key.length && max !== Number.POSITIVE_INFINITY) break
      const view = new DataView(key.buffer, key.byteOffset, key.byteLength)
      for (let at = 0; at < key.length; ) {
        const id = view.getUint16(at, true)
        const length = view.getUint32(at + 2, true)
        if (id === tableColumn.id) this.#own(view.getUint32(at + 6, true))
        else this.#column(id).set(this.#size, key.subarray(at + 6, at + 6 + length))
        at += 6 + length
      }
    }
    return this.#size < this.#registry.size
  }

  #column(id: number): LabelColumn {
    let column = this.#columns.get(id)
    if (column === undefined) {
      column = new LabelColumn()
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

function numbersTo(size: number): Uint32Array {
  const numbers = new Uint32Array(size)
  for (let i = 0; i < size; i++) numbers[i] = i
  return numbers
}

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

/** The values of one tag by series. */
class LabelColumn {
  /** Codes by series; series beyond its end have no value. */
  codes = new Uint32Array(1024)
  /** Texts by code; the first one is for missing values. */
  readonly texts: string[] = ['']
  readonly #byBytes = new Map<string, number>()
  /** Values with lower codes are decoded as the tag's type. */
  #decoded = 1
  #isText = false

  set(tsid: number, value: Uint8Array): void {
    // As latin1 text: equal for equal bytes.
    const bytes = latin1(value)
    let code = this.#byBytes.get(bytes)
    if (code === undefined) {
      code = this.texts.length
      this.#byBytes.set(bytes, code)
      this.texts.push(bytes)
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
    return this.#isText && text !== '' ? (this.#byBytes.get(latin1(Buffer.from(text))) ?? noCode) : undefined
  }

  /** Decodes up to `max` values by the type of a tag; returns how many. The type is known from the table only. */
  decode(tag: TableColumn, max = Number.POSITIVE_INFINITY): number {
    this.#isText = tag.type === 'String'
    const first = this.#decoded
    const end = Math.min(this.texts.length, first + max)
    let bytes = 0
    for (; this.#decoded < end; this.#decoded++) {
      const text = this.texts[this.#decoded]!
      this.texts[this.#decoded] = textOf(tag, text)
      bytes += text.length
      if (bytes < bytesAtOnce || max === Number.POSITIVE_INFINITY) continue
      this.#decoded++
      // Nothing needs decoding: counts as complete.
      return max
    }
    return end - first
  }
}

function latin1({ buffer, byteOffset, byteLength }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString('latin1')
}

const ascii = /^[\0-\x7f]*$/

/** The text of a stored value, given as latin1. */
function textOf({ type }: TableColumn, bytes: string): string {
  const isText = isBytesType(type)
  if (isText && ascii.test(bytes)) return bytes
  const value = Buffer.from(bytes, 'latin1')
  if (isText) return value.toString('utf8')
  if (type === 'Boolean') return value[0] === 1 ? 'true' : 'false'
  const array = fixedArray(type)
  // Copies the bytes, because a Buffer may begin anywhere in its memory.
  return String(new array(new Uint8Array(value).buffer)[0])
}
