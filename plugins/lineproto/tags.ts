// The tags of rows as keys. The store asks for the tags of keys it does not know.
import { type Limit, LimitReached, type RowTags, type TableColumn } from '../../core/index.ts'
import { columnsByName, type LineTable, semanticMismatch, timeColumn } from './columns.ts'
import { failure } from './decode/position.ts'
import { readTags, type Tag, type TagLimit } from './decode/tags.ts'

/** Tags of unknown keys are parsed and checked when the store asks for them. `columns`: of one table. */
export function createTags(line: LineTable, columns: Limit): RowTags {
  const { keys, series } = line.decoded
  let check: TagCheck | undefined
  return {
    keys,
    series,
    labels(i) {
      check ??= new TagCheck(line, columns)
      return check.read(keys.starts[i]!, keys.ends[i]!)
    }
  }
}

class TagCheck {
  readonly #body: Buffer
  readonly #name: string
  readonly #time: string
  readonly #columns: ReadonlyMap<string, TableColumn>
  readonly #fields: ReadonlySet<string>
  readonly #limit: TagLimit

  constructor({ body, decoded, table }: LineTable, columns: Limit) {
    this.#body = body
    this.#name = decoded.name
    this.#time = table?.timeIndex.name ?? timeColumn
    this.#columns = columnsByName(table)
    this.#fields = new Set(decoded.fields.map(field => field.name))
    this.#limit = {
      // Series that were there before the limit was lowered still fit.
      max: Math.max(columns.max, this.#columns.size),
      refusal: () => new LimitReached(`table ${decoded.name}`, 'columns', columns)
    }
  }

  /** Throws ParseError for an invalid tag. */
  read(start: number, end: number): readonly Tag[] {
    const tags = readTags(this.#body, start, end, this.#limit)
    for (const tag of tags) this.#check(tag)
    return tags
  }

  #check({ name, at }: Tag): void {
    const column = this.#columns.get(name)
    const semantic = this.#fields.has(name) ? 'field' : name === this.#time ? 'timestamp' : (column?.semantic ?? 'tag')
    if (semantic !== 'tag') throw failure(this.#body, at, semanticMismatch(name, this.#name, semantic, 'tag'))
    if (column !== undefined && column.type !== 'String') {
      throw failure(this.#body, at, `column ${name} of table ${this.#name} is ${column.type}, a tag is String`)
    }
  }
}
