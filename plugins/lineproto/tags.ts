// The tags of rows: keys that the store knows or asks about.
import type { RowTags, Table, TableColumn } from '../../core/index.ts'
import { columnsOf, full, type LineRequest, timeColumn, tooWide, wrongPlace } from './check.ts'
import type { DecodedTable } from './decode/measurement.ts'
import { failure } from './decode/position.ts'
import { readTags, type Tag } from './decode/tags.ts'

/** Tags that were not seen before are read and checked when they are asked for. */
export function createTags(request: LineRequest, decoded: DecodedTable, table: Table | undefined): RowTags {
  const { keys, series } = decoded
  let check: TagCheck | undefined
  return {
    keys,
    series,
    labels(i) {
      check ??= new TagCheck(request, decoded, table)
      return check.read(keys.starts[i]!, keys.ends[i]!)
    }
  }
}

class TagCheck {
  readonly #request: LineRequest
  readonly #name: string
  readonly #table: Table | undefined
  readonly #time: string
  readonly #columns: ReadonlyMap<string, TableColumn>
  readonly #fields: ReadonlySet<string>
  /** Columns the table will have. */
  readonly #names: Set<string>
  readonly #seriesBefore: number
  readonly #added = new Set<string>()

  constructor(request: LineRequest, { name, fields }: DecodedTable, table: Table | undefined) {
    this.#request = request
    this.#name = name
    this.#table = table
    this.#time = table?.timeIndex.name ?? timeColumn
    this.#columns = columnsOf(table)
    this.#fields = new Set(fields.map(field => field.name))
    this.#names = new Set([...this.#columns.keys(), ...this.#fields])
    this.#seriesBefore = (table && request.core.store.statistics(table).series) ?? 0
  }

  /** Throws ParseError for the tag that does not fit, DbError `InvalidArguments` where there is no room. */
  read(start: number, end: number): readonly Tag[] {
    const { body, limits } = this.#request
    const tags = readTags(body, start, end)
    for (const tag of tags) this.#check(tag)
    if (this.#isKnown(tags)) return tags
    this.#added.add(body.toString('latin1', start, end))
    if (this.#seriesBefore + this.#added.size > limits.max_series) {
      throw full(`table ${this.#name} has ${limits.max_series} series already`, 'max_series')
    }
    return tags
  }

  #isKnown(tags: readonly Tag[]): boolean {
    return this.#table !== undefined && this.#request.core.store.hasSeries(this.#table, tags)
  }

  #check({ name, at }: Tag): void {
    const { body, limits } = this.#request
    const column = this.#columns.get(name)
    const place = this.#fields.has(name) ? 'field' : name === this.#time ? 'timestamp' : (column?.semantic ?? 'tag')
    if (place !== 'tag') throw failure(body, at, wrongPlace(name, this.#name, place, 'tag'))
    if (column !== undefined && column.type !== 'String') {
      throw failure(body, at, `column ${name} of table ${this.#name} is ${column.type}, a tag is String`)
    }
    if (column !== undefined || this.#names.has(name)) return
    this.#names.add(name)
    if (this.#names.size > limits.max_columns) throw tooWide(this.#name, limits)
  }
}
