// Rewrites statements that only count rows by column values and time intervals, so that they sum stored counts. Works on DuckDB's syntax
// tree; a statement that is not certain to mean the same is left as it is.
import type { CountedRows, JsonParameter, Placeholder } from '../sql/frames.ts'
import { quoteName, quoteText } from './words.ts'

type Json = null | string | number | boolean | readonly Json[] | Node
export type Node = { readonly [key: string]: Json }

/** A statement as DuckDB reads it. */
export interface ReadStatement {
  readonly node: Node
  /** The offset in characters of a location; undefined without a location. */
  at(location: Json | undefined): number | undefined
  readonly callsMacro: boolean
}

interface CountedStatement {
  readonly text: string
  readonly tables: readonly Placeholder[]
}

/** Column that tells how many rows a row stands for. */
const rowsColumn = '__rows'

/** Aggregates that do not depend on how often a value occurs. */
const sameForAll = new Set(['min', 'max', 'bool_and', 'bool_or', 'approx_count_distinct'])

/** Seconds of the units for truncating times; longer units are whole days. */
const units: Readonly<Record<string, number>> = { minute: 60, hour: 3600, day: 86_400 }
const longUnits = new Set(['week', 'month', 'quarter', 'year', 'decade', 'century', 'millennium'])

/** `isRowFunction`: whether all functions of a name are deterministic scalar functions. */
export function countStatement(
  { node, at }: ReadStatement,
  text: string,
  tables: readonly Placeholder[],
  isRowFunction: (name: string) => boolean,
  parameters: readonly JsonParameter[] = []
): CountedStatement | undefined {
  const edits: Edit[] = []
  const rows = new Map<Placeholder, string>()
  for (const select of selectsOf(withParameters(node, parameters))) {
    const table = tableOf(select, tables, at)
    if (table?.counts === undefined) continue
    const reading = new Reading(
      table.counts,
      String((select['from_table'] as Node)['alias'] ?? ''),
      text,
      at,
      isRowFunction
    )
    if (!reading.select(select) || constantsOf(reading.cuts).length > maxRanges) continue
    edits.push(...reading.edits)
    rows.set(table, countedSql(table.counts, reading.cuts))
  }
  if (rows.size === 0) return undefined
  const all: readonly Edit[] = [
    ...edits,
    ...tables.map(table => ({ start: table.start, end: table.end, text: text.slice(table.start, table.end), table }))
  ].toSorted((a, b) => a.start - b.start)
  const moved: Placeholder[] = []
  let made = ''
  let from = 0
  for (const { start, end, text: put, table } of all) {
    if (start < from) return undefined
    made += text.slice(from, start)
    if (table !== undefined) {
      moved.push({ start: made.length, end: made.length + put.length, sql: rows.get(table) ?? table.sql })
    }
    made += put
    from = end
  }
  return { text: made + text.slice(from), tables: moved }
}

interface Edit {
  readonly start: number
  readonly end: number
  readonly text: string
  readonly table?: Placeholder
}

/** A comparison of the time index with something constant over all rows. */
interface Cut {
  readonly op: string
  readonly constant: string
  /** It is a whole second, as written. */
  readonly isWhole: boolean
}

/** Constants that a statement compares the time index with; with more of them counts are not worth reading. */
const maxRanges = 8

function constantsOf(cuts: readonly Cut[]): readonly string[] {
  return [...new Set(cuts.map(({ constant }) => constant))]
}

/** Replaces parameters by constants, because the unit for truncating times may be one. */
function withParameters(root: Node, parameters: readonly JsonParameter[]): Node {
  if (parameters.length === 0) return root
  return JSON.parse(JSON.stringify(root), (_, value: unknown) => {
    const node = value as Node | null
    if (node?.['class'] !== 'PARAMETER') return value
    const given = parameters[Number(node['identifier']) - 1]
    if (typeof given === 'string') return { ...node, given: { type: { id: 'VARCHAR' }, value: given } }
    const isInteger = typeof given === 'object' && 'integer' in given
    return isInteger ? { ...node, given: { type: { id: 'BIGINT' }, value: Number(given.integer) } } : value
  }) as Node
}

/** A list instead of recursion, because unions of thousands of queries are nested that deep. */
function* selectsOf(root: Node): Generator<Node> {
  const waiting: Json[] = [root]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (next === null || typeof next !== 'object') continue
    if (Array.isArray(next)) waiting.push(...next)
    else {
      const node = next as Node
      if (node['type'] === 'SELECT_NODE') yield node
      waiting.push(...Object.values(node))
    }
  }
}

function tableOf(select: Node, tables: readonly Placeholder[], at: ReadStatement['at']): Placeholder | undefined {
  const from = select['from_table'] as Node | undefined
  if (from?.['type'] !== 'BASE_TABLE' || from['sample'] !== undefined || from['column_name_alias'] !== undefined)
    return undefined
  const position = at(from['query_location'])
  return position === undefined ? undefined : tables.find(({ start }) => start === position)
}

/** Members of a SELECT that this code understands. */
const understood = new Set([
  'type',
  'modifiers',
  'cte_map',
  'select_list',
  'from_table',
  'where_clause',
  'group_expressions',
  'group_sets',
  'aggregate_handling',
  'having'
])

class Reading {
  readonly edits: Edit[] = []
  readonly cuts: Cut[] = []
  readonly #counts: CountedRows
  readonly #alias: string
  readonly #text: string
  readonly #at: ReadStatement['at']
  readonly #isRowFunction: (name: string) => boolean
  #aggregates = 0

  constructor(
    counts: CountedRows,
    alias: string,
    text: string,
    at: ReadStatement['at'],
    isRowFunction: (name: string) => boolean
  ) {
    this.#counts = counts
    this.#alias = alias.toLowerCase()
    this.#text = text
    this.#at = at
    this.#isRowFunction = isRowFunction
  }

  select(select: Node): boolean {
    if (!Object.keys(select).every(key => understood.has(key))) return false
    const groups = listOf(select['group_expressions'])
    const modifiers = listOf(select['modifiers'])
    const items = listOf(select['select_list'])
    const isDistinct = modifiers.some(
      ({ type, distinct_on_targets: on }) => type === 'DISTINCT_MODIFIER' && on === undefined
    )
    if (!items.every(item => this.#item(item))) return false
    const isGrouped = groups.length > 0 || select['aggregate_handling'] === 'FORCE_AGGREGATES' || this.#aggregates > 0
    if (!isGrouped && !isDistinct) return false
    return (
      groups.every(each => this.#expression(each)) &&
      modifiers.every(each => this.#modifier(each)) &&
      [select['where_clause'], select['having']].every(each => each === undefined || this.#expression(each as Node))
    )
  }

  /** Handles an item of the SELECT list; a count without an alias keeps its column name. */
  #item(item: Node): boolean {
    const before = this.edits.length
    if (!this.#expression(item)) return false
    if (this.edits.length === before || item['alias'] !== undefined) return true
    const edit = this.edits.at(-1)!
    if (item['function_name'] !== 'count_star' || this.edits.length > before + 1) return false
    this.edits[before] = { ...edit, text: `${edit.text} AS "count_star()"` }
    return true
  }

  #modifier(modifier: Node): boolean {
    switch (modifier['type']) {
      case 'DISTINCT_MODIFIER':
        return modifier['distinct_on_targets'] === undefined
      case 'ORDER_MODIFIER':
        return listOf(modifier['orders']).every(({ expression }) => this.#expression(expression as Node))
      case 'LIMIT_MODIFIER':
        return [modifier['limit'], modifier['offset']].every(
          each => each === undefined || this.#expression(each as Node)
        )
    }
    return false
  }

  #expression(node: Node): boolean {
    const all = (...keys: string[]) => keys.every(key => listOf(node[key]).every(child => this.#expression(child)))
    switch (node['class']) {
      case 'CONSTANT':
      case 'PARAMETER':
        return true
      case 'COLUMN_REF': {
        const names = (node['column_names'] as readonly string[]).map(name => name.toLowerCase())
        return !names.includes(this.#counts.time.toLowerCase()) && (names.length > 1 || names[0] !== this.#alias)
      }
      case 'CAST':
        return (this.#isTime(node['child']) && typeOf(node) === 'DATE') || all('child')
      case 'COLLATE':
        return all('child')
      case 'CONJUNCTION':
      case 'OPERATOR':
        return all('children')
      case 'COMPARISON':
        return this.#comparison(node) || all('left', 'right')
      case 'BETWEEN':
        return this.#between(node) || all('input', 'lower', 'upper')
      case 'CASE':
        return (
          listOf(node['case_checks']).every(check =>
            ['when_expr', 'then_expr'].every(key => this.#expression(check[key] as Node))
          ) && all('else_expr')
        )
      case 'FUNCTION':
        return this.#function(node)
    }
    return false
  }

  #function(node: Node): boolean {
    const name = String(node['function_name']).toLowerCase()
    const children = listOf(node['children'])
    const inner = () => children.every(child => this.#expression(child))
    const isPlain = node['schema'] === undefined && node['catalog'] === undefined
    const { filter, distinct } = node
    if (!isPlain || listOf(node['order_bys'])[0]?.['orders'] !== undefined) return false
    const isFiltered = filter === undefined || this.#expression(filter as Node)
    if (!isFiltered) return false
    if (name === 'count_star' || (name === 'count' && distinct !== true)) return this.#count(node, children)
    if (sameForAll.has(name) || name === 'count') {
      this.#aggregates++
      return inner()
    }
    if (filter !== undefined || distinct !== undefined) return false
    if (this.#cutsTime(name, children)) return true
    return this.#isRowFunction(name) && inner()
  }

  /** Replaces a count by the sum of the rows that each row stands for. */
  #count(node: Node, children: readonly Node[]): boolean {
    const start = this.#at(node['query_location'])
    if (start === undefined || children.length > 1) return false
    const counted = children[0]
    if (counted !== undefined && (counted['class'] !== 'COLUMN_REF' || !this.#expression(counted))) return false
    const form = counted === undefined ? countAll : countColumn
    const call = form.exec(this.#text.slice(start))
    if (call === null) return false
    const conditions = counted === undefined ? [] : [`${call[1]} IS NOT NULL`]
    let end = start + call[0].length
    if (node['filter'] !== undefined) {
      const filter = filterHead.exec(this.#text.slice(end))
      const close = filter === null ? undefined : closing(this.#text, end + filter[0].length)
      if (filter === null || close === undefined) return false
      conditions.push(`(${this.#text.slice(end + filter[0].length, close)}\n)`)
      end = close + 1
    }
    const filter = conditions.length > 0 ? ` FILTER (WHERE ${conditions.join(' AND ')})` : ''
    this.edits.push({ start, end, text: `CAST(coalesce(sum(${rowsColumn})${filter}, 0) AS BIGINT)` })
    this.#aggregates++
    return true
  }

  /** Whether it is the time index, possibly cast to another precision. */
  #isTime(json: Json | undefined): boolean {
    const node = json as Node | undefined
    if (node?.['class'] === 'CAST') {
      return /^TIMESTAMP(?:_MS|_NS|_S)?$/.test(typeOf(node)) && this.#isTime(node['child'])
    }
    return (
      node?.['class'] === 'COLUMN_REF' &&
      String((node['column_names'] as readonly string[]).at(-1)).toLowerCase() === this.#counts.time.toLowerCase()
    )
  }

  /** Whether a call truncates the time to intervals that consist of whole stored intervals. */
  #cutsTime(name: string, [first, second, origin, ...more]: readonly Node[]): boolean {
    if (!this.#isTime(second) || more.length > 0) return false
    if (origin !== undefined && (name !== 'time_bucket' || !isEpoch(origin))) return false
    const { width } = this.#counts
    if (name === 'date_trunc' || name === 'datetrunc') {
      const unit = textOf(first)?.toLowerCase() ?? ''
      return longUnits.has(unit) || (units[unit] ?? 0) >= width
    }
    const seconds = name === 'time_bucket' ? Math.round(secondsOf(first) * 1e6) / 1e6 : 0
    return seconds > 0 && seconds % width === 0
  }

  #comparison(node: Node): boolean {
    const op = operators[String(node['type'])]
    const isLeft = this.#isTime(node['left'])
    if (op === undefined || (!isLeft && !this.#isTime(node['right']))) return false
    return this.#cut(isLeft ? op : op.map(each => mirrored[each]!), (isLeft ? node['right'] : node['left']) as Node)
  }

  #between(node: Node): boolean {
    return (
      this.#isTime(node['input']) &&
      this.#cut(['>='], node['lower'] as Node) &&
      this.#cut(['<='], node['upper'] as Node)
    )
  }

  #cut(ops: readonly string[], node: Node): boolean {
    const constant = this.#counts.isUtc ? print(node) : undefined
    if (constant === undefined) return false
    const text = textOf(node['class'] === 'CAST' ? (node['child'] as Node) : node)
    const isWhole = text !== undefined && /^\d{4}-\d\d-\d\d(?:[ T]\d\d:\d\d:\d\d)?$/.test(text)
    for (const op of ops) this.cuts.push({ op, constant, isWhole })
    return true
  }
}

const operators: Readonly<Record<string, readonly string[]>> = {
  COMPARE_LESSTHAN: ['<'],
  COMPARE_LESSTHANOREQUALTO: ['<='],
  COMPARE_GREATERTHAN: ['>'],
  COMPARE_GREATERTHANOREQUALTO: ['>='],
  COMPARE_EQUAL: ['<=', '>='],
  COMPARE_NOTEQUAL: ['<=', '>=']
}
const mirrored: Readonly<Record<string, string>> = { '<': '>', '<=': '>=', '>': '<', '>=': '<=' }

const identifier = String.raw`(?:[A-Za-z_]\w*|"[^"]+")`
const countAll = /^"?count"?\s*\(\s*\*?\s*\)/i
const countColumn = new RegExp(
  String.raw`^"?count"?\s*\(\s*(?:all\s+)?(${identifier}(?:\s*\.\s*${identifier})*)\s*\)`,
  'i'
)
const filterHead = /^\s*filter\s*\(\s*(?:where\b)?/i

/** The position of the closing parenthesis; undefined if the text between is not plain. */
function closing(text: string, from: number): number | undefined {
  let depth = 1
  const parts = /'(?:[^']|'')*'|"(?:[^"]|"")*"|--|\/\*|\$[A-Za-z_]*\$|[()]/g
  parts.lastIndex = from
  for (let part = parts.exec(text); part !== null; part = parts.exec(text)) {
    if (part[0] === '(') depth++
    else if (part[0] === ')' && --depth === 0) return part.index
    else if (/^(?:--|\/\*|\$)/.test(part[0])) return undefined
    // In `E'…'` a backslash may escape the closing quote.
    else if (part[0].startsWith("'") && /e$/i.test(text.slice(0, part.index))) return undefined
  }
  return undefined
}

function listOf(json: Json | undefined): readonly Node[] {
  if (json === undefined || json === null) return []
  return (Array.isArray(json) ? json : [json]) as readonly Node[]
}

/** The name of a type without parameters; empty for other types. */
function typeOf(cast: Node): string {
  const { id, type_info: info } = cast['cast_type'] as Node
  if (info === undefined) return String(id).toUpperCase()
  const named = (info as Node)['expr'] as Node | undefined
  const isPlain =
    id === 'UNBOUND' && named !== undefined && named['children'] === undefined && named['schema'] === undefined
  return isPlain ? String(named['type_name']).toUpperCase() : ''
}

/** The value of a constant or parameter. */
function literalOf(node: Node | undefined): Node | undefined {
  return (
    node?.['class'] === 'PARAMETER' ? node['given'] : node?.['class'] === 'CONSTANT' ? node['value'] : undefined
  ) as Node | undefined
}

function textOf(node: Node | undefined): string | undefined {
  const value = literalOf(node)
  return (value?.['type'] as Node | undefined)?.['id'] === 'VARCHAR' ? String(value!['value']) : undefined
}

/** Whether it is 1970-01-01. */
function isEpoch(node: Node): boolean {
  const text = textOf(node['class'] === 'CAST' ? (node['child'] as Node) : node)
  return text !== undefined && /^1970-01-01(?: 00:00:00)?$/.test(text)
}

const secondsIn: Readonly<Record<string, number>> = {
  microsecond: 1e-6,
  second: 1,
  minute: 60,
  hour: 3600,
  day: 86_400,
  week: 604_800
}

/** Seconds of an interval written as one number and its unit; 0 for others. */
function secondsOf(node: Node | undefined): number {
  if (node?.['class'] === 'CAST' && typeOf(node) === 'INTERVAL') {
    const [, number, unit] = /^\s*(\d{1,9})\s*([a-z]+?)s?\s*$/i.exec(textOf(node['child'] as Node) ?? '') ?? []
    return Number(number ?? 0) * (secondsIn[unit?.toLowerCase() ?? ''] ?? 0)
  }
  const [, unit] = /^to_([a-z]+)s$/.exec(String(node?.['function_name'])) ?? []
  if (node?.['class'] !== 'FUNCTION' || unit === undefined) return 0
  let [argument] = listOf(node['children'])
  // DuckDB parses `INTERVAL 1 HOUR` as an integer cast from a float.
  while (argument?.['class'] === 'CAST' || argument?.['function_name'] === 'trunc') {
    argument = argument['class'] === 'CAST' ? (argument['child'] as Node) : listOf(argument['children'])[0]
  }
  const value = literalOf(argument)?.['value']
  return typeof value === 'number' && Number.isInteger(value) && value > 0 ? value * (secondsIn[unit] ?? 0) : 0
}

const printedTypes =
  /^(?:TIMESTAMP(?:_MS|_NS|_S)?|TIMESTAMP WITH TIME ZONE|DATE|INTERVAL|VARCHAR|BIGINT|INTEGER|DOUBLE)$/
const printedCalls =
  /^(?:now|make_timestamp(?:_ms|_ns)?|to_(?:seconds|minutes|hours|days|weeks|months|years|milliseconds|microseconds)|date_trunc|trunc)$/

/** The SQL of an expression that is constant over all rows; undefined if that is not certain. */
function print(node: Node): string | undefined {
  const inner = (json: Json | undefined) => print(json as Node)
  switch (node['class']) {
    case 'CONSTANT': {
      const { type, value } = node['value'] as Node
      const id = String((type as Node)['id'])
      if (id === 'VARCHAR') return quoteText(String(value))
      return /^(?:INTEGER|BIGINT)$/.test(id) && typeof value === 'number' && Number.isSafeInteger(value)
        ? String(value)
        : undefined
    }
    case 'PARAMETER':
      return `$${node['identifier']}`
    case 'CAST': {
      const child = inner(node['child'])
      return child !== undefined && node['try_cast'] === undefined && printedTypes.test(typeOf(node))
        ? `CAST(${child} AS ${typeOf(node)})`
        : undefined
    }
    case 'FUNCTION': {
      const name = String(node['function_name']).toLowerCase()
      const children = listOf(node['children']).map(inner)
      if (node['filter'] !== undefined || node['schema'] !== undefined || children.includes(undefined)) return undefined
      if ((name === '-' || name === '+' || name === '*') && children.length === 2)
        return `(${children.join(` ${name} `)})`
      return printedCalls.test(name) ? `${name}(${children.join(', ')})` : undefined
    }
  }
  return undefined
}

/** SQL that replaces the table: stored counts for intervals on one side of all comparisons, and the rows of the other intervals. */
function countedSql({ cells, edges, rest, time, width, fileTimeType }: CountedRows, cuts: readonly Cut[]): string {
  const column = quoteName(time)
  const parts = [`SELECT * FROM (${cells})`]
  if (cuts.length > 0) {
    const start = `time_bucket(INTERVAL '${width} seconds', ${column}::TIMESTAMP)`
    const isCut = cuts
      .map(({ op, constant, isWhole }) => {
        const before = isWhole ? start : `${start} - INTERVAL '1 second'`
        const behind = `${start} + INTERVAL '${isWhole ? width : width + 1} seconds' - INTERVAL '1 microsecond'`
        return `((${before}) ${op} ${constant}) IS DISTINCT FROM ((${behind}) ${op} ${constant})`
      })
      .join(' OR ')
    const reach = `INTERVAL '${width + 2} seconds'`
    const ranges = constantsOf(cuts).map(constant => {
      const [first, last] = ['-', '+'].map(
        op => `CAST(CAST(${constant} AS TIMESTAMP) ${op} ${reach} AS ${fileTimeType})`
      )
      return `__file_time BETWEEN ${first} AND ${last}`
    })
    parts[0] += ` WHERE NOT (${isCut})`
    // One SELECT for each constant, because DuckDB excludes row groups by a range of times, but not by an OR of ranges.
    for (const [i, range] of ranges.entries()) {
      const others = ranges.slice(0, i).map(other => ` AND (${other}) IS NOT TRUE`)
      parts.push(
        `SELECT * EXCLUDE (__file_time), 1::BIGINT FROM (${edges}) WHERE ${range}${others.join('')} AND (${isCut})`
      )
    }
  }
  if (rest !== undefined) parts.push(`SELECT *, 1::BIGINT FROM (${rest})`)
  return `(${parts.join(' UNION ALL ')})`
}
