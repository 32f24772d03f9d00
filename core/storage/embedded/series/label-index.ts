// Which series have which tag values: an index over a registry, so that selecting series costs no look at any row.
import type { Table, TableColumn } from '../../../model/table.ts'
import type { TagMatch } from '../../engine.ts'
import { tableColumn } from '../catalog/logical.ts'
import { fixedArray } from '../log/record.ts'
import type { SeriesRegistry } from './series.ts'

/** Code of a tag that has no value. */
const absent = 0

/** Tag values of all series by column, grown with the registry. */
export class LabelIndex {
  readonly #registry: SeriesRegistry
  readonly #columns = new Map<number, LabelColumn>()
  #size = 0

  constructor(registry: SeriesRegistry) {
    this.#registry = registry
  }

  /** Numbers of the series, ascending, whose tags pass all tests; those of one logical table where `owner` names it. */
  select(table: Table, matches: readonly TagMatch[], owner: number | undefined): Uint32Array {
    this.#grow()
    const filters: Filter[] = []
    if (owner !== undefined) filters.push(this.#filter(tableColumn, text => text === String(owner)))
    for (const { column, test } of matches) {
      const tag = table.tags.find(({ name }) => name === column)
      if (tag === undefined) {
        if (!test('')) return new Uint32Array(0)
      } else filters.push(this.#filter(tag, test))
    }
    const found = new Uint32Array(this.#size)
    let count = 0
    for (let tsid = 0; tsid < this.#size; tsid++) {
      if (filters.every(({ codes, passes }) => passes[codes[tsid] ?? absent] === 1)) found[count++] = tsid
    }
    return found.subarray(0, count)
  }

  /** Tag values of a series as text, in the order of the table's columns; tags without a value are left out. */
  labels(table: Table, tsid: number): [name: string, value: string][] {
    return table.tags.flatMap(tag => {
      const column = this.#columns.get(tag.stored ?? tag.id)
      const code = column?.codes[tsid] ?? absent
      column?.decode(tag)
      return code === absent ? [] : [[tag.name, column!.texts[code]!] as [string, string]]
    })
  }

  #filter(tag: TableColumn, test: (value: string) => boolean): Filter {
    const column = this.#columns.get(tag.stored ?? tag.id)
    if (column === undefined) return { codes: noCodes, passes: Uint8Array.of(Number(test(''))) }
    column.decode(tag)
    const passes = new Uint8Array(column.texts.length)
    for (let code = 0; code < passes.length; code++) passes[code] = Number(test(column.texts[code]!))
    return { codes: column.codes, passes }
  }

  /** Takes in what the registry has got since the last time. */
  #grow(): void {
    for (; this.#size < this.#registry.size; this.#size++) {
      const key = this.#registry.key(this.#size)
      const view = new DataView(key.buffer, key.byteOffset, key.byteLength)
      for (let at = 0; at < key.length; ) {
        const id = view.getUint16(at, true)
        const length = view.getUint32(at + 2, true)
        let column = this.#columns.get(id)
        if (column === undefined) {
          column = new LabelColumn(id === tableColumn.id ? tableColumn : undefined)
          this.#columns.set(id, column)
        }
        column.set(this.#size, key.subarray(at + 6, at + 6 + length))
        at += 6 + length
      }
    }
  }
}

interface Filter {
  readonly codes: Uint32Array
  /** By code: whether the value passes. */
  readonly passes: Uint8Array
}

const noCodes = new Uint32Array(0)

/** The values of one tag by series. */
class LabelColumn {
  /** By series; beyond its end there is no value. */
  codes = new Uint32Array(1024)
  /** By code; the first stands for no value. */
  readonly texts: string[] = ['']
  readonly #byBytes = new Map<string, number>()
  #tag: TableColumn | undefined
  /** Codes from here on hold bytes that were not read as the tag's type yet. */
  #decoded = 1

  constructor(tag: TableColumn | undefined) {
    this.#tag = tag
  }

  set(tsid: number, value: Uint8Array): void {
    // One unit a byte: equal for equal bytes, whatever they mean.
    const bytes = Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('latin1')
    let code = this.#byBytes.get(bytes)
    if (code === undefined) {
      code = this.texts.length
      this.#byBytes.set(bytes, code)
      this.texts.push(this.#tag === undefined ? bytes : textOf(this.#tag, value))
      if (this.#tag !== undefined) this.#decoded = this.texts.length
    }
    if (tsid >= this.codes.length) {
      const grown = new Uint32Array(Math.max(tsid + 1, this.codes.length * 2))
      grown.set(this.codes)
      this.codes = grown
    }
    this.codes[tsid] = code
  }

  /** Reads what is there as values of a tag; its type is only known from its table. */
  decode(tag: TableColumn): void {
    this.#tag = tag
    for (; this.#decoded < this.texts.length; this.#decoded++) {
      this.texts[this.#decoded] = textOf(tag, Buffer.from(this.texts[this.#decoded]!, 'latin1'))
    }
  }
}

function textOf({ type }: TableColumn, value: Uint8Array): string {
  if (type === 'String' || type === 'Json' || type === 'Binary') return Buffer.from(value).toString('utf8')
  if (type === 'Boolean') return value[0] === 1 ? 'true' : 'false'
  const array = fixedArray(type)
  // A copy: the bytes of a buffer may stand anywhere in a larger one.
  return String(new array(new Uint8Array(value).buffer)[0])
}
