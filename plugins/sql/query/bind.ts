// Binds the names of a statement: what each column means by the scope it stands in, which constants stand beside times, and the tables,
// calls and items that are translated. Whether the statement may run is not decided here.
import { type DbError, endsStep, runAtOnce, type Steps } from '../../../core/index.ts'
import { invalid, planError, unsupported } from '../error.ts'
import { isRename, type Tree } from '../grammar/parser.ts'
import {
  asIdent,
  asList,
  asNode,
  asObjectName,
  type Ident,
  isEmpty,
  isQuery,
  type TreeNode,
  tokenOf,
  variant
} from '../grammar/tree.ts'
import { nameOf } from '../statement/cursor.ts'
import { errorAt, isToken, locationOf, type Token } from '../text/token.ts'
import type { BindContext } from './bind-context.ts'
import type { Extent } from './extent.ts'
import { unknownField } from './failure.ts'
import { jsonRowsOf } from './function-edits.ts'
import {
  common,
  comparing,
  finest,
  isNoTime,
  isText,
  lasting,
  lists,
  none,
  other,
  sameAsArgument,
  selectors,
  type Time,
  texts,
  timesOfNumbers,
  timesOfTimes,
  united
} from './meaning.ts'
import { tableOf } from './newest.ts'
import {
  type Field,
  type Fields,
  type Found,
  type Meaning,
  makeScope,
  makeSource,
  memberOf,
  mergedField,
  resolve,
  type Scope,
  type Source,
  type Value
} from './scope.ts'
import { isSessionWord } from './session-function.ts'
import type { TextTime } from './text-time.ts'
import { isTextType, isZonedType, parseTableTime } from './time-type.ts'

export interface Reference {
  /** Tokens of the parts of the name. */
  readonly parts: readonly number[]
  readonly found: Found
}

/** A constant that stands for a time: beside a time of a unit, or in a cast or literal without a zone. */
export interface TimeConstant {
  readonly first: number
  readonly last: number
  readonly constant: Meaning & { readonly kind: 'string' | 'integer' | 'date' }
  readonly time: Time
  /** It stands where the type is said, or where any is taken: its text is enough. */
  readonly bare?: true
}

/** A table that stands alone in its FROM. */
export interface Alone {
  /** The token its name begins with. */
  readonly at: number
  readonly alias: Ident | undefined
  readonly select: TreeNode
  /** Of a query that is nothing but this SELECT. */
  readonly orderBy: Tree | undefined
  /** Of such a query: LIMIT and OFFSET. */
  readonly limit: Tree | undefined
}

interface Bound {
  readonly references: readonly Reference[]
  /** Tokens of names given in the statement: of items, and of columns of common tables and subqueries. */
  readonly declared: readonly number[]
  /** Those of them that name items of a select list. */
  readonly items: readonly number[]
  /** Tokens of names of common tables, of sources, and where they are used. */
  readonly sourceNames: readonly number[]
  readonly times: readonly TimeConstant[]
  /** Expressions beside a time that are not constants, and not, or not certainly, a time in UTC. */
  readonly textTimes: readonly TextTime[]
  /** Items of select lists without names of their own, and those the user would give them: what was written. */
  readonly unnamed: readonly { readonly last: number; readonly label: string }[]
  /** Tokens of the names of functions that are called, where they are no parts of longer names. */
  readonly calls: readonly number[]
  /** Those of functions that stand for tables, and whether they have another name. */
  readonly tableCalls: ReadonlyMap<number, boolean>
  readonly alone: readonly Alone[]
  /** Every column of every table may be meant. */
  readonly everyColumn: boolean
  /** The columns of the result; `byName` where a star is among its items. */
  readonly result: Fields
  readonly byName: boolean
}

type Common = ReadonlyMap<string, Fields>

/** A value of a row; `name` is that of an item that has its column's. */
interface Item extends Value {
  readonly name?: string | undefined
  /** The engine names it by its digits. */
  readonly isDigits?: boolean
}

/** The expressions of a query's columns: its items, as long as their positions are known, or those of each row. */
interface Made {
  readonly rows: readonly (readonly Item[])[]
  readonly fields: Fields
}

interface Env {
  readonly common: Common
  readonly outer: Scope | undefined
  /** The common table that the query defines by itself, and the names of its columns: the first part of its UNION tells what they are. */
  readonly recursive?: { readonly key: string; readonly columns: readonly string[] }
}

/** Items of a select list that are bound in one step. */
const stepItems = 64

const unknown: Fields = { list: [], open: true }

/** Throws DbError `Unsupported` for a statement that is not a query. */
export function* bindStatement(tree: Tree, context: BindContext): Steps<Bound> {
  const [kind, value] = variant(tree) ?? ['', null]
  if (kind !== 'Query') throw unsupported(`${kind || 'this'} statement is not a query`)
  const query = asNode(value)!
  const binder = new Binder(context)
  const result = yield* binder.query(query, { common: new Map(), outer: undefined })
  return Object.assign(binder, { result, byName: hasStar(query) })
}

/** A SELECT or VALUES that a query is put together of; `ordered`: of a query with an ORDER BY. */
interface Part {
  readonly kind: string
  readonly node: TreeNode
  readonly ordered: boolean
}

function partsOf(body: Tree | undefined, ordered = false): readonly Part[] {
  const [kind, value] = variant(body) ?? ['', null]
  const node = asNode(value)
  if (node === undefined) return []
  if (kind === 'Query') return partsOf(node['body'], ordered || !isEmpty(node['order_by']))
  if (kind === 'SetOperation') return ['left', 'right'].flatMap(side => partsOf(node[side], ordered))
  return [{ kind, node, ordered }]
}

/** Whether the result has columns that nobody names. */
function hasStar(query: TreeNode): boolean {
  return partsOf(query['body']).some(({ kind, node }) => {
    const items = asList(node['projection']).map(item => variant(item)?.[0])
    const isStar = items.length === 0 || items.includes('Wildcard') || items.includes('QualifiedWildcard')
    return kind === 'Select' && isStar
  })
}

const nothing: Value = { tree: undefined, meaning: other }

/** Expressions that are true or false, or a number. */
const predicates = new Set(
  'Exists Extract ILike InUnnest IsFalse IsNotFalse IsNotNull IsNotTrue IsNull IsTrue Like Position RLike SimilarTo'.split(
    ' '
  )
)

const comparisons = ['Eq', 'NotEq', 'Lt', 'LtEq', 'Gt', 'GtEq', 'Spaceship']

/** Operators that make a number. */
const counting = ['Multiply', 'Divide', 'Modulo', 'DuckIntegerDivide']

/** Calls in a FROM that give one column, which is named as they are: another name of the call is that of its values, as in Postgres. */
const oneColumn = new Set(['generate_series', 'range', 'unnest'])

/** Tables of one FROM: each is looked at for every name without one, and the joins nest. */
const maxSources = 400

/** Kinds of constants that become times beside one; a text is one anyway. */
const constants: ReadonlySet<string | undefined> = new Set(['date', 'integer', 'null'])

const looksLikeTime = /^\s*\d{4}-\d\d-\d\d/

class Binder {
  readonly references: Reference[] = []
  readonly declared: number[] = []
  readonly items: number[] = []
  readonly sourceNames: number[] = []
  readonly times: TimeConstant[] = []
  readonly textTimes: TextTime[] = []
  readonly unnamed: { readonly last: number; readonly label: string }[] = []
  readonly calls: number[] = []
  readonly tableCalls = new Map<number, boolean>()
  readonly alone: Alone[] = []
  everyColumn = false
  readonly #context: BindContext
  /** The last tokens of constants that are known to be times. */
  readonly #known = new Set<number>()
  /** First and last tokens of `textTimes`. */
  readonly #madeTimes = new Set<string>()
  /** The items of each SELECT and the rows of each VALUES. */
  readonly #made = new Map<Tree, Made>()
  /** How many queries there were. */
  #queries = 0
  /** How many calls there were that stand for several columns. */
  #manyColumns = 0

  constructor(context: BindContext) {
    this.#context = context
  }

  *query(query: TreeNode, { common, outer, recursive }: Env): Steps<Fields> {
    this.#queries++
    const withNode = asNode(query['with'])
    // A copy only where it gets more: there may be thousands of them, each a query.
    const own = withNode === undefined ? undefined : new Map(common)
    for (const table of asList(withNode?.['cte_tables'])) {
      const node = asNode(table)!
      yield* this.#commonTable(node, withNode?.['recursive'] === true, own!, outer)
    }
    const env = { common: own ?? common, outer }
    const [kind] = variant(query['body']) ?? ['']
    const fields = yield* this.#body(query['body'], recursive === undefined ? env : { ...env, recursive }, query)
    const rest = makeScope(outer)
    if (kind !== 'Select') {
      rest.sources.push(makeSource(undefined, fields))
      this.#value(query['order_by'], rest, env)
    }
    for (const key of ['limit_clause', 'fetch']) this.#value(query[key], rest, env)
    return fields
  }

  *#commonTable(node: TreeNode, recursive: boolean, known: Map<string, Fields>, outer: Scope | undefined): Steps<void> {
    const alias = asNode(node['alias'])
    const name = this.#declareSource(asIdent(alias?.['name']))!
    const query = asNode(node['query'])!
    const columns = this.#columnNames(alias)
    const key = name.toLowerCase()
    const env = recursive
      ? { common: new Map(known).set(key, unknown), outer, recursive: { key, columns } }
      : { common: known, outer }
    known.set(key, renamed(yield* this.query(query, env), columns))
  }

  /** `around` is the query that is nothing but this, perhaps ordered and cut. */
  *#body(body: Tree | undefined, env: Env, around: TreeNode = {}): Steps<Fields> {
    const [kind, value] = variant(body) ?? ['', null]
    const node = asNode(value)
    if (node === undefined) return unknown
    const { recursive, ...plain } = env
    if (kind === 'Query') return yield* this.query(node, env)
    if (kind === 'Select') return yield* this.#select(node, around, plain)
    if (kind === 'SetOperation') {
      const left = yield* this.#body(node['left'], plain)
      const known = recursive && new Map(env.common).set(recursive.key, renamed(left, recursive.columns))
      const right = yield* this.#body(node['right'], known === undefined ? plain : { ...plain, common: known })
      const fields = this.#unite(node, left, right)
      return recursive !== undefined && node['op'] === 'Union' ? asStarted(fields, left) : fields
    }
    return this.#rows(node, plain)
  }

  /** The rows of VALUES. */
  #rows(node: TreeNode, env: Env): Fields {
    const scope = makeScope(env.outer)
    const rows = asList(node['rows']).map(row =>
      asList(Array.isArray(row) ? row : asNode(row)?.['content']).map(tree => ({
        tree,
        meaning: this.#value(tree, scope, env)
      }))
    )
    const list = (rows[0] ?? []).map((_, i) => {
      const values = rows.flatMap(row => row[i] ?? [])
      this.#compare(values, true)
      return { name: `col${i}`, meaning: common(values) }
    })
    const fields = { list, open: false }
    this.#made.set(node, { rows, fields })
    return fields
  }

  /** Columns that are times in one query of a set operation are times in the other. */
  #unite(node: TreeNode, left: Fields, right: Fields): Fields {
    const byName = /ByName/.test(String(node['set_quantifier']))
    const meet = (side: 'left' | 'right', column: number, meaning: Meaning, time: Meaning): Meaning => {
      if (time?.kind !== 'time' || meaning?.kind === 'time') return undefined
      this.#makeTimes(node[side], column, time, false)
      return this.#isConstant(node[side], column) ? time : undefined
    }
    const list = left.list.map((field, i) => {
      const j = byName ? right.list.findIndex(({ name }) => name === field.name) : i
      if (j < 0) return field
      const [one, two] = [field.meaning, right.list[j]?.meaning]
      return { ...field, meaning: meet('right', j, two, one) ?? meet('left', i, one, two) ?? united(one, two) }
    })
    const more = byName ? right.list.filter(({ name }) => !list.some(field => field.name === name)) : []
    return { list: [...list, ...more], open: left.open || (byName && right.open) }
  }

  /** Whether a column of a query is made of constants that become times beside one. */
  #isConstant(body: Tree | undefined, column: number): boolean {
    return partsOf(body).every(({ node }) => {
      const rows = this.#made.get(node)?.rows ?? []
      return rows.length > 0 && rows.every(row => constants.has(row[column]?.meaning?.kind))
    })
  }

  /** Makes times of a column of a query that holds texts, or is made of constants. */
  #makeTimes(body: Tree | undefined, column: number, time: Time, strict: boolean): void {
    for (const { node, ordered } of partsOf(body)) {
      const made = this.#made.get(node)
      const field = made?.fields.list[column]
      for (const row of made?.rows ?? []) {
        const item = row[column]
        const isNone = item === undefined ? isNoTime(field?.meaning) : ordered && isNoTime(item.meaning)
        if (isNone) {
          const why = item === undefined ? 'a star stands for it: name it, and' : 'its query has an ORDER BY:'
          throw planError(`the text column ${field?.name ?? ''} meets a time, but ${why} cast it to TIMESTAMP`)
        }
        if (item?.meaning?.kind === 'integer') this.#makeTimeOfDigits(item, item.meaning, time)
        else if (item !== undefined) this.#makeTime(item, time, strict)
      }
    }
  }

  #makeTimeOfDigits({ isDigits }: Item, digits: Meaning & { kind: 'integer' }, time: Time): void {
    this.#add(digits, time)
    const { last } = digits
    const isLabelled = isDigits !== true || this.unnamed.some(each => each.last === last)
    if (!isLabelled) this.unnamed.push({ last, label: this.#nameAt(last) })
  }

  *#select(select: TreeNode, around: TreeNode, env: Env): Steps<Fields> {
    const scope = makeScope(env.outer)
    for (const item of asList(select['from'])) this.#joined(asNode(item)!, scope, env)
    const fields: Field[] = []
    let open = false
    const items = asList(select['projection'])
    const made: Item[] = []
    const at = tokenOf(asNode(select['select_token']))
    const extents = at === undefined ? [] : this.#context.items(at, items)
    for (const [i, item] of items.entries()) {
      if (endsStep(i, stepItems)) yield
      const known = made.length === i
      open = this.#item(item, extents[i], scope, env, fields, known ? made : []) || open
    }
    if (items.length === 0) {
      this.everyColumn = true
      open = addStar(fields, scope.sources) || open
    }
    yield
    for (const key of ['selection', 'prewhere', 'group_by', 'qualify', 'named_window', 'distinct', 'sort_by']) {
      this.#value(select[key], scope, env)
    }
    for (const tree of [select['having'], around['order_by']]) this.#value(tree, scope, env, true)
    this.#standsAlone(select, around, env)
    this.#made.set(select, { rows: [made], fields: { list: fields, open } })
    return { list: fields, open }
  }

  /** Beside another table, or with names of its own for the columns, what a condition means is not certain. */
  #standsAlone(select: TreeNode, around: TreeNode, env: Env): void {
    const [name, alias] = tableOf(select)
    if (name === undefined || this.#commonOf(name, env) !== undefined) return
    const at = name[0]!.at
    this.alone.push({ at, alias, select, orderBy: around['order_by'], limit: around['limit_clause'] })
  }

  /** The common table a name of one part means. */
  #commonOf(name: readonly Ident[], { common }: Env): Fields | undefined {
    return name.length === 1 ? common.get(this.#nameOf(name[0]!).toLowerCase()) : undefined
  }

  /** Adds what an item of a select list is, and how it is made unless it is a star; whether there may be more than that. */
  #item(item: Tree, extent: Extent | undefined, scope: Scope, env: Env, fields: Field[], made: Item[]): boolean {
    const [kind, value] = variant(item) ?? ['', null]
    if (kind === 'Wildcard') return this.#star(asNode(value), scope.sources, scope, env, fields)
    if (kind === 'QualifiedWildcard') {
      const [named, options] = asList(value)
      const name = asObjectName(asNode(named)?.['ObjectName'])
      const table = name && this.#nameOf(name.at(-1)!)
      const sources = scope.sources.filter(source => source.name?.toLowerCase() === table?.toLowerCase())
      if (sources.length > 0 && name?.length === 1) this.#sourceName(name[0]!)
      if (sources.length === 0) this.#value(named, scope, env)
      const open = this.#star(asNode(options), sources, scope, env, fields)
      return open || sources.length === 0
    }
    const node = asNode(value)
    if (kind === 'ExprWithAlias') {
      const value = this.#of(node!['expr'], scope, env)
      const meaning = lasting(value.meaning)
      made.push(value)
      const alias = asIdent(node!['alias'])
      if (alias === undefined) {
        const { start } = this.#context.tokens[extent?.[1] ?? 0]!
        const instead = 'write AS before it, or double quotes around it'
        throw errorAt(this.#context.sql, start, `a text is not a column name: ${instead}`)
      }
      const name = this.#declare(alias)
      this.items.push(alias.at)
      scope.items.set(name, meaning)
      fields.push({ name, meaning })
      return false
    }
    const before = this.references.length
    const [many, queries] = [this.#manyColumns, this.#queries]
    const own = this.#of(value, scope, env)
    const meaning = lasting(own.meaning)
    const found = this.references[before]?.found
    const [inner, part] = plainName(value)
    const last = inner === 'Identifier' ? asIdent(part) : asIdent(asList(part).at(-1))
    const isCall = inner === 'Identifier' && last !== undefined && isSessionWord(this.#context.tokens[last.at]!)
    const isOnly = inner !== '' && found?.kind === 'row' && found.only !== undefined
    if (inner === '' || isCall || isOnly) {
      // Of several columns each has a name of its own, but the engine would name the tables of a query as it reads them. Digits it names so.
      const isMany = this.#manyColumns > many
      const isDigits =
        own.meaning?.kind === 'integer' &&
        variant(value)?.[0] === 'Value' &&
        this.#context.tokens[own.meaning.last]?.parameter === undefined
      made.push(isDigits ? { ...own, isDigits } : own)
      const isNamed = !isDigits && (this.#queries > queries || !isMany)
      const label = isNamed && extent !== undefined ? this.#label(extent, isOnly ? last : undefined) : undefined
      const open = isMany || isSpread(value)
      fields.push({ name: open ? '' : (label ?? ''), meaning })
      return open
    }
    const name =
      found?.kind === 'column' && found.column === asListLength(inner, part) - 1 ? found.field.name : undefined
    const shown = name ?? (last === undefined ? '' : this.#nameOf(last))
    made.push({ ...own, name: shown })
    fields.push({ name: shown, meaning })
    return false
  }

  /** Names an item by what was written. A single word is the name of a call, which the engine takes for that of a column beside its own. */
  #label(extent: Extent, name: Ident | undefined): string | undefined {
    if (name === undefined && extent[0] === extent[1] && mayBeColumn(this.#context.tokens[extent[0]]!)) return undefined
    const label = name === undefined ? this.#context.label(extent) : this.#nameOf(name)
    this.unnamed.push({ last: extent[1], label })
    return label
  }

  #of(tree: Tree | undefined, scope: Scope, env: Env, itemsFirst = false): Value {
    return { tree, meaning: this.#value(tree, scope, env, itemsFirst) }
  }

  #star(options: TreeNode | undefined, sources: readonly Source[], scope: Scope, env: Env, fields: Field[]): boolean {
    this.everyColumn = true
    this.#value(options?.['opt_exclude'] ?? null, scope, env)
    const replaced = new Map<string, Meaning>()
    const renames = new Map<string, string>()
    const items = asList(asNode(options?.['opt_replace'])?.['items'])
    // The grammar was given REPLACE in the place of RENAME.
    const firstName = asIdent(asNode(asNode(items[0])?.['expr'])?.['Identifier'])
    const renamesColumns = firstName !== undefined && isRename(this.#context.tokens, firstName.at - 2)
    for (const item of items) {
      const node = asNode(item)!
      const meaning = lasting(this.#value(node['expr'], scope, env))
      const column = asIdent(node['column_name'])
      if (column === undefined) continue
      const from = asIdent(asNode(node['expr'])?.['Identifier'])
      const name = this.#declare(column)
      if (from !== undefined && renamesColumns) {
        const found = resolve(scope, [this.#nameOf(from)], false)
        if (found.kind === 'unknown' && found.valid !== undefined) throw this.#noField(from, found.valid)
        renames.set(this.#nameOf(from), name)
      } else replaced.set(name, meaning)
    }
    const excluded = identsOf(options?.['opt_exclude']).map(ident => this.#nameOf(ident))
    const star: Field[] = []
    const open = addStar(star, sources)
    for (const field of star) {
      if (excluded.includes(field.name)) continue
      const name = renames.get(field.name) ?? field.name
      fields.push({ name, meaning: replaced.has(field.name) ? replaced.get(field.name) : field.meaning })
    }
    return open || options?.['opt_rename'] !== undefined
  }

  #joined(node: TreeNode, scope: Scope, env: Env): void {
    this.#factor(node['relation'], scope, env)
    for (const join of asList(node['joins'])) {
      const joined = asNode(join)!
      const before = scope.sources.length
      this.#factor(joined['relation'], scope, env)
      const right = scope.sources[before]
      const operator = joined['join_operator']
      const [, constraint] = variant(operator) ?? []
      if (right !== undefined) {
        const left = scope.sources.slice(0, before)
        const natural = constraint === 'Natural'
        const using = natural
          ? right.fields.list.map(({ name }) => name).filter(name => fieldOf(left, name) !== undefined)
          : identsOf(asNode(constraint)?.['Using']).map(ident => this.#nameOf(ident))
        if (using.length > 0)
          scope.sources[before] = { ...right, merged: this.#merge(left, right, using, variant(operator)?.[0] ?? '') }
        if (natural) this.everyColumn = true
      }
      this.#value(operator, scope, env)
    }
  }

  /** The meanings of columns that a join merges. They have no expression in which a text could become a time. */
  #merge(left: readonly Source[], right: Source, using: readonly string[], join: string): ReadonlyMap<string, Field> {
    const merged = new Map<string, Field>()
    for (const name of using) {
      const [one, two] = [fieldOf(left, name), fieldOf([right], name)]
      const meanings = [one?.meaning, two?.meaning]
      if (meanings.some(meaning => meaning?.kind === 'time') && meanings.some(isNoTime)) {
        throw planError(`the join merges columns named ${name}, of which one is a time and one a text: name both in ON`)
      }
      const time = join.startsWith('Full') ? finest(meanings) : undefined
      const field = join.startsWith('Right') ? two : time === undefined ? one : { name, meaning: time }
      merged.set(name, field ?? { name, meaning: undefined })
    }
    return merged
  }

  #factor(tree: Tree | undefined, scope: Scope, env: Env): void {
    const [kind, value] = variant(tree) ?? ['', null]
    const node = asNode(value)
    if (node === undefined) return
    if (scope.sources.length >= maxSources) {
      throw invalid(`a FROM has more than ${maxSources} tables: join some of them in a subquery`)
    }
    const alias = asNode(node['alias'])
    const aliased = this.#declareSource(asIdent(alias?.['name']))
    const columns = this.#columnNames(alias)
    const add = (fields: Fields, name?: string, database?: string, only?: string) => {
      const source = makeSource(aliased ?? name, renamed(fields, columns), database)
      scope.sources.push(only === undefined || columns.length > 0 ? source : { ...source, only })
    }
    const lateral = { ...env, outer: scope }
    if (kind === 'Derived') add(runAtOnce(this.query(asNode(node['subquery'])!, lateral)))
    else if (kind === 'Table' && (node['args'] === undefined || node['args'] === null)) {
      const name = tableName(node['name'], this.#context)
      const common = this.#commonOf(name, env)
      const table =
        common === undefined
          ? this.#context.table(
              name.map(({ at }) => at),
              alias !== undefined
            )
          : undefined
      if (common !== undefined) this.#sourceName(name[0]!)
      // Columns are renamed by their position.
      if (columns.length > 0) this.everyColumn = true
      add(common ?? table?.fields ?? unknown, table?.name ?? this.#nameOf(name.at(-1)!), table?.database)
      this.#value(node['sample'], scope, env)
    } else if (kind === 'NestedJoin') {
      // One with a name of its own was made a query before.
      const inner = makeScope(env.outer)
      this.#joined(asNode(node['table_with_joins'])!, inner, env)
      scope.sources.push(...inner.sources)
    } else if (kind === 'Pivot' || kind === 'Unpivot') {
      this.everyColumn = true
      const { table, alias: _, ...rest } = node
      const inner = makeScope(env.outer)
      this.#factor(table, inner, env)
      this.#value(rest, inner, env)
      add({ list: inner.sources.flatMap(({ fields }) => fields.list), open: true }, inner.sources[0]?.name)
    } else {
      const { name, alias: _, args, ...rest } = node
      this.#value(rest, scope, env)
      const called = asObjectName(name)?.at(-1)
      const values = asList(asNode(args)?.['args'] ?? args).map(argument => this.#argument(argument, scope, env))
      const of = this.#called(called?.value.toLowerCase() ?? '', values)
      const list = columns.length === 0 ? [] : [{ name: '', meaning: of?.kind === 'list' ? of.of : lasting(of) }]
      const own = called === undefined ? kind.toLowerCase() : this.#nameOf(called)
      if (called !== undefined) this.tableCalls.set(called.at, aliased !== undefined)
      const only = jsonRowsOf(own) === undefined ? own : 'unnest'
      add(
        { list, open: columns.length === 0 },
        called && own,
        undefined,
        aliased !== undefined && oneColumn.has(only) ? only : undefined
      )
    }
  }

  /** The meaning of an expression; binds everything in it. */
  #value(tree: Tree | undefined, scope: Scope, env: Env, itemsFirst = false): Meaning {
    if (Array.isArray(tree)) {
      for (const item of tree) this.#value(item, scope, env, itemsFirst)
      return undefined
    }
    const node = asNode(tree)
    if (node === undefined) return undefined
    if (isQuery(node)) {
      const { list, open } = runAtOnce(this.query(node, { ...env, outer: scope }))
      if (!open && list.length === 1) return list[0]!.meaning
      return { kind: 'tuple', of: list.map(({ meaning }, column) => ({ tree: node, meaning, column })) }
    }
    const [kind, value] = variant(node) ?? ['', null]
    const inner = (part: Tree | undefined) => this.#value(part, scope, env, itemsFirst)
    const of = (part: Tree | undefined) => this.#of(part, scope, env, itemsFirst)
    const parts = asNode(value)
    switch (kind) {
      case 'Identifier':
        return this.#reference([asIdent(value)], scope, itemsFirst)
      case 'CompoundIdentifier':
        return this.#reference(asList(value).map(asIdent), scope, itemsFirst)
      case 'Nested': {
        const meaning = inner(value)
        // Parentheses that only the grammar was given stand around parts of long chains.
        return (meaning?.kind === 'integer' ? this.#wider(meaning, '(', ')') : undefined) ?? meaning
      }
      case 'Subquery':
        return inner(value)
      case 'Value':
        return this.#constant(parts)
      case 'Tuple':
        return { kind: 'tuple', of: asList(value).map(of) }
      case 'Dictionary':
        return {
          kind: 'tuple',
          of: asList(value).map(entry => of(asNode(entry)?.['value'])),
          names: asList(value).map(entry => this.#keyBefore(asNode(entry)?.['value']))
        }
      case 'UnaryOp':
        return this.#signed(parts!, inner)
      case 'BinaryOp':
        return this.#binary(parts!, of)
      case 'IsDistinctFrom':
      case 'IsNotDistinctFrom':
        this.#compare(asList(value).map(of))
        return other
      case 'Between':
        this.#compare([of(parts!['expr']), of(parts!['low']), of(parts!['high'])])
        return other
      case 'InList':
        this.#compare([of(parts!['expr']), ...asList(parts!['list']).map(of)])
        return other
      case 'InSubquery':
        this.#compare([of(parts!['expr']), of(parts!['subquery'])], true)
        return other
      case 'AnyOp':
      case 'AllOp':
        this.#compare([of(parts!['left']), ...this.#elements(parts!['right'], of)], true)
        return other
      case 'Array': {
        const elements = this.#elements(node, of)
        this.#compare(elements, true)
        return { kind: 'list', of: common(elements) }
      }
      case 'Case':
        return this.#choice(parts!, of)
      case 'Cast':
        return this.#cast(parts!, inner)
      case 'TypedString':
        return this.#typed(parts!)
      case 'Interval':
        inner(value)
        return other
      case 'Trim':
      case 'Substring':
      case 'Overlay':
        for (const part of Object.values(parts!)) inner(part)
        return { kind: 'text' }
      case 'Function':
        return this.#call(parts!, scope, env, itemsFirst)
      case 'Lambda':
        return this.#arrow(parts!, scope, env, null)
      case 'CompoundFieldAccess':
        return this.#access(inner(parts!['root']), asList(parts!['access_chain']), inner)
    }
    for (const part of Object.values(node)) inner(part)
    return predicates.has(kind) ? other : undefined
  }

  /** Members and elements of a value. */
  #access(root: Meaning, chain: readonly Tree[], inner: (part: Tree | undefined) => Meaning): Meaning {
    let meaning = root
    for (const access of chain) {
      const dot = asNode(asNode(access)?.['Dot'])
      if (dot === undefined) inner(access)
      const index = asNode(asNode(asNode(access)?.['Subscript'])?.['Index'])?.['index']
      const token = tokenOf(asNode(asNode(index)?.['Value']))
      const named = token === undefined ? undefined : this.#stringAt(token)
      const name = dot === undefined ? named : this.#names([dot['Identifier']])[0]
      if (name !== undefined) meaning = memberOf(meaning, name)
      else meaning = index !== undefined && meaning?.kind === 'list' ? meaning.of : undefined
    }
    return meaning
  }

  /** The key of a member that is written out, which has no location in the tree. */
  #keyBefore(value: Tree | undefined): string {
    const first = this.#context.extent(value ?? null)?.[0]
    const isKey = first !== undefined && isToken(this.#context.tokens[first - 1], ':')
    return isKey ? this.#nameAt(first - 2).toLowerCase() : ''
  }

  /** Names of members of a struct, in lower case. */
  #names(idents: readonly (Tree | undefined)[]): readonly string[] {
    return idents.map(ident => {
      const name = asIdent(ident)
      return name === undefined ? '' : this.#nameOf(name).toLowerCase()
    })
  }

  /** The values of a list that is written out, or of the only column of a query. */
  #elements(tree: Tree | undefined, of: (part: Tree | undefined) => Value): readonly Value[] {
    const list = asNode(tree)?.['Array']
    if (list !== undefined) return asList(asNode(list)?.['elem']).map(of)
    return [of(asNode(tree)?.['Subquery'] ?? tree)]
  }

  #reference(idents: readonly (Ident | undefined)[], scope: Scope, itemsFirst: boolean): Meaning {
    const parts = idents.flatMap(ident => (ident === undefined ? [] : [ident.at]))
    if (parts.length === 0) return undefined
    const found = resolve(
      scope,
      parts.map(part => this.#nameAt(part)),
      itemsFirst
    )
    this.references.push({ parts, found })
    if (found.kind === 'row' || found.kind === 'unknown') this.everyColumn = true
    if (found.kind === 'item') return found.meaning
    if (found.kind !== 'column' && found.kind !== 'parameter') return undefined
    const [root, at] = found.kind === 'column' ? [found.field.meaning, found.column] : [found.meaning, 0]
    return parts.slice(at + 1).reduce((meaning, part) => memberOf(meaning, this.#nameAt(part)), root)
  }

  #constant(value: TreeNode | undefined): Meaning {
    const token = tokenOf(value)
    if (token === undefined) return undefined
    const literal = this.#context.tokens[token]!
    if (literal.kind === 'string') return { kind: 'string', token }
    if (isToken(literal, 'null')) return none
    // Longer ones are no times, and take long to read.
    if (literal.kind !== 'number' || !/^[\d_]{1,64}$/.test(literal.value)) return other
    return { kind: 'integer', value: BigInt(literal.value.replaceAll('_', '')), first: token, last: token }
  }

  /** A number with a pair of symbols around it; undefined where they do not stand there. */
  #wider(number: Meaning & { kind: 'integer' }, before: string, behind: string): Meaning {
    const { tokens } = this.#context
    const [first, last] = [number.first - 1, behind === '' ? number.last : number.last + 1]
    const stands = isToken(tokens[first], before) && (behind === '' || isToken(tokens[last], behind))
    return stands ? { ...number, first, last } : undefined
  }

  #signed({ op, expr }: TreeNode, inner: (part: Tree | undefined) => Meaning): Meaning {
    const meaning = inner(expr)
    if (meaning?.kind !== 'integer') return undefined
    if (op === 'Minus') return this.#wider({ ...meaning, value: -meaning.value }, '-', '')
    return op === 'Plus' ? this.#wider(meaning, '+', '') : undefined
  }

  #binary({ op, left, right }: TreeNode, of: (part: Tree | undefined) => Value): Meaning {
    const values = [of(left), of(right)]
    const [one, another] = values.map(({ meaning }) => meaning)
    if (comparisons.includes(String(op))) {
      this.#compare(values)
      return other
    }
    if (op === 'And' || op === 'Or') return other
    if (one?.kind === 'integer' && another?.kind === 'integer') {
      const value = computed(String(op), one.value, another.value)
      return value === undefined ? undefined : { kind: 'integer', value, first: one.first, last: another.last }
    }
    if (op === 'LongArrow' || (op === 'StringConcat' && (isText(one) || isText(another)))) return { kind: 'text' }
    if (counting.includes(String(op))) return other
    if (op !== 'Plus' && op !== 'Minus') return undefined
    if (op === 'Minus' && this.#isTimeText(another)) this.#compare(values)
    // A time or a time with a zone, and an interval.
    const moved = [one, another].find(meaning => meaning?.kind === 'time' || meaning?.kind === 'zoned')
    const by = moved === one ? another : one
    if (by !== undefined && by.kind !== 'other' && by.kind !== 'null') return undefined
    if (moved?.kind === 'zoned') return by === undefined ? undefined : moved
    return moved === undefined ? undefined : { kind: 'time', ...(by === undefined && { unsure: true }) }
  }

  #choice(parts: TreeNode, of: (part: Tree | undefined) => Value): Meaning {
    const operand = of(parts['operand'])
    const branches = asList(parts['conditions']).map(asNode)
    const conditions = branches.map(branch => of(branch?.['condition']))
    if (operand.meaning !== undefined) this.#compare([operand, ...conditions])
    const results = [...branches.map(branch => of(branch?.['result'])), of(parts['else_result'])]
    this.#compare(results, true)
    return common(results)
  }

  #cast(parts: TreeNode, inner: (part: Tree | undefined) => Meaning): Meaning {
    const meaning = inner(parts['expr'])
    const type = parseTableTime(parts['data_type'])
    if (type?.kind === 'time' && meaning?.kind === 'string') this.#add(meaning, type, true)
    if (type?.kind === 'time' && meaning?.kind === 'date') this.#add(meaning, type)
    if (type?.kind === 'time') return type
    if (isZonedType(parts['data_type'])) return { kind: 'zoned' }
    return isTextType(parts['data_type']) ? { kind: 'text' } : undefined
  }

  #typed({ data_type: written, value }: TreeNode): Meaning {
    const token = tokenOf(asNode(value))
    const type = parseTableTime(written)
    if (token === undefined || type === undefined) return isZonedType(written) ? { kind: 'zoned' } : undefined
    if (type.kind === 'date') {
      return isToken(this.#context.tokens[token - 1], 'date') ? { kind: 'date', first: token - 1, token } : undefined
    }
    this.#add({ kind: 'string', token }, type, true)
    return type
  }

  #call(call: TreeNode, scope: Scope, env: Env, itemsFirst: boolean): Meaning {
    const inner = (part: Tree | undefined) => this.#value(part, scope, env, itemsFirst)
    const path = asObjectName(call['name']) ?? []
    const name = path.at(-1)?.value.toLowerCase() ?? ''
    if (path.length === 1) this.calls.push(path[0]!.at)
    const { args: list, name: _, ...rest } = call
    // `column.function()`: what stands before the dot is the first argument.
    if (path.length > 1) this.#reference(path.slice(0, -1), scope, itemsFirst)
    if (name === 'columns') {
      this.#manyColumns++
      this.everyColumn = true
    }
    const written = asNode(asNode(list)?.['List'])
    let listed: Meaning
    const values = asList(written?.['args']).map((argument, i): Value => {
      if (asNode(argument)?.['Unnamed'] === 'Wildcard') {
        if (name !== 'count') this.everyColumn = true
        return nothing
      }
      const lambda = asNode(asNode(plainArgument(argument))?.['Lambda'])
      if (lambda === undefined) {
        const value = this.#argument(argument, scope, env, itemsFirst)
        if (i === 0) listed = value.meaning
        return value
      }
      const element = listed?.kind === 'list' ? listed.of : undefined
      this.#arrow(lambda, scope, env, takesLambda(name) ? element : null)
      return nothing
    })
    inner(written?.['clauses'] ?? null)
    if (written === undefined) inner(list)
    inner(rest)
    const named = asList(written?.['args']).map(argument => asNode(asNode(argument)?.['Named'])?.['name'])
    return this.#called(name, values, this.#names(named))
  }

  #argument(argument: Tree, scope: Scope, env: Env, itemsFirst = false): Value {
    const plain = plainArgument(argument)
    return { tree: plain, meaning: this.#value(plain ?? argument, scope, env, itemsFirst) }
  }

  /** The meaning of a call. */
  #called(name: string, values: readonly Value[], names: readonly string[] = []): Meaning {
    const meanings = values.map(({ meaning }) => meaning)
    if (name === 'row' || name === 'struct_pack') return { kind: 'tuple', of: values, names }
    if (selectors.has(name)) return lasting({ kind: 'tuple', of: values, names: ['value', 'time'] })
    const member = meanings[1]?.kind === 'string' ? this.#stringAt(meanings[1].token) : undefined
    if (name === 'struct_extract') return memberOf(meanings[0], member ?? '')
    const alike = name === 'if' ? values.slice(1) : values
    if (comparing.has(name)) this.#compare(alike, name !== 'nullif')
    // Their third argument stands for a value that is not there.
    if ((name === 'lag' || name === 'lead') && values.length > 2) this.#compare([values[0]!, values[2]!])
    // Slots of times are counted from one.
    if ((name === 'date_bin' || name === 'time_bucket') && values.length > 2)
      this.#compare([values[1]!, values[2]!], true)
    const time = meanings.find(meaning => meaning?.kind === 'time')
    const ofTimes = timesOfTimes.has(name) || (name === 'date_sub' && values.length === 2)
    if (time?.kind === 'time' || ofTimes) {
      for (const meaning of meanings) {
        if (this.#isTimeText(meaning))
          this.#add(meaning, lists.has(name) && time?.kind === 'time' ? time : { kind: 'time' }, !lists.has(name))
      }
    }
    const [first] = meanings
    if (name === 'list_value') return { kind: 'list', of: common(values) }
    if (lists.has(name)) return { kind: 'list', of: lasting(first) }
    if (name === 'unnest') return first?.kind === 'list' ? first.of : undefined
    if (texts.has(name)) return { kind: 'text' }
    if (Object.hasOwn(timesOfNumbers, name)) return { kind: 'time', unit: timesOfNumbers[name]! }
    if (name === 'date_bin' || name === 'date_bin_wallclock' || name === 'cast_to_type') return lasting(meanings[1])
    if (ofTimes) return time !== undefined || name === 'now' ? { kind: 'time' } : undefined
    if (comparing.has(name)) return common(alike)
    return sameAsArgument.has(name) ? lasting(first) : undefined
  }

  /** `x -> …`: a lambda as the argument of a call that takes one, with what its first parameter is, else a field of JSON. */
  #arrow({ params, body }: TreeNode, scope: Scope, env: Env, element: Meaning | null): Meaning {
    const one = asNode(asNode(params)?.['One'])
    const names = (one === undefined ? asList(asNode(params)?.['Many']).map(asNode) : [one]).flatMap(
      param => asIdent(param?.['name']) ?? []
    )
    if (element !== null) {
      const parameters = new Map(names.map((name, i) => [this.#nameOf(name), i === 0 ? element : undefined]))
      this.#value(body, makeScope(scope, parameters), env)
    } else {
      for (const name of names) this.#reference([name], scope, false)
      this.#value(body, scope, env)
    }
    return undefined
  }

  /** Makes operands beside a time times. With `strict` the engine itself refuses operands that are none. */
  #compare(values: readonly Value[], strict = false): void {
    const tuples = values.flatMap(({ meaning }) => (meaning?.kind === 'tuple' ? [meaning.of] : []))
    if (tuples.length > 1) {
      for (let i = 0; i < tuples[0]!.length; i++) this.#compare(tuples.map(of => of[i] ?? nothing))
    }
    const time = values.map(({ meaning }) => meaning).find(meaning => meaning?.kind === 'time')
    if (time?.kind !== 'time') return
    for (const value of values) {
      if (value.meaning?.kind === 'integer') this.#add(value.meaning, time)
      else this.#makeTime(value, time, strict)
    }
  }

  #isTimeText(meaning: Meaning): meaning is Meaning & { readonly kind: 'string' } {
    return meaning?.kind === 'string' && looksLikeTime.test(this.#stringAt(meaning.token) ?? '')
  }

  #makeTime({ tree, meaning, column, name }: Item, time: Time, strict: boolean): void {
    if (meaning?.kind === 'string' || meaning?.kind === 'date') this.#add(meaning, time)
    if (tree === undefined) return
    const node = asNode(tree)
    const query = node !== undefined && isQuery(node) ? node : undefined
    const inner = query ?? asNode(node?.['Subquery'])
    const isKnown = !isNoTime(meaning) && (meaning !== undefined || strict || time.unsure === true)
    const isConstant = isKnown && inner !== undefined && this.#isConstant({ Query: inner }, column ?? 0)
    if (isConstant || (query !== undefined && !isKnown)) {
      this.#makeTimes({ Query: (query ?? inner)! }, column ?? 0, time, true)
      return
    }
    if (isKnown) return
    const extent = this.#context.extent(tree)
    if (extent === undefined) {
      if (meaning === undefined) return
      throw planError('a text meets a time: cast it to TIMESTAMP')
    }
    const key = extent.join()
    if (this.#madeTimes.has(key)) return
    this.#madeTimes.add(key)
    const kind = meaning?.kind === 'text' || meaning?.kind === 'zoned' ? meaning.kind : 'unknown'
    this.textTimes.push({ extent, kind, unit: time.unit, ...(name !== undefined && { name }) })
  }

  #add(constant: TimeConstant['constant'], time: TimeConstant['time'], bare = false): void {
    const [first, last] =
      constant.kind === 'integer'
        ? [constant.first, constant.last]
        : [constant.kind === 'date' ? constant.first : constant.token, constant.token]
    if (this.#known.has(last)) return
    this.#known.add(last)
    this.times.push({ first, last, constant, time, ...(bare && { bare: true as const }) })
  }

  #nameOf(ident: Ident): string {
    return this.#nameAt(ident.at)
  }

  /** The name a token spells. */
  #nameAt(token: number): string {
    return nameOf(this.#context.tokens[token]!).text
  }

  /** The characters of the string at a token; undefined if it is no string. */
  #stringAt(token: number): string | undefined {
    const { kind, value } = this.#context.tokens[token]!
    return kind === 'string' ? value : undefined
  }

  /** The error for a name that means no column, where these are all there are. */
  #noField(name: Ident, valid: readonly string[]): DbError {
    const { sql, tokens } = this.#context
    return planError(unknownField(this.#nameOf(name), locationOf(sql, tokens[name.at]!.start), valid))
  }

  #declare(ident: Ident): string {
    this.declared.push(ident.at)
    return this.#nameOf(ident)
  }

  #sourceName(ident: Ident): void {
    this.sourceNames.push(ident.at)
  }

  #declareSource(ident: Ident | undefined): string | undefined {
    if (ident === undefined) return undefined
    this.#sourceName(ident)
    return this.#nameOf(ident)
  }

  #columnNames(alias: TreeNode | undefined): string[] {
    return asList(alias?.['columns']).flatMap(column => {
      const name = asIdent(asNode(column)?.['name'])
      return name === undefined ? [] : [this.#declare(name)]
    })
  }
}

function tableName(tree: Tree | undefined, { sql, tokens }: BindContext): readonly Ident[] {
  const name = asObjectName(tree)
  if (name?.every(({ quote }) => quote === undefined || quote === '"')) return name
  // The tree has no location of a text.
  const isTable = (at: number) => ['from', 'join'].some(word => isToken(tokens[at - 1], word))
  const text = tokens.find(({ kind }, at) => kind === 'string' && isTable(at))
  const location = text === undefined ? '' : locationOf(sql, text.start)
  throw unsupported(`a table is named by a name, not by a string${location}: a query reads tables of this server only`)
}

/** Whether the engine may take a word for the name of a column, not for a call or a value. */
function mayBeColumn(token: Token): boolean {
  const isValue = ['true', 'false', 'null'].some(word => isToken(token, word))
  return token.kind === 'word' && !isSessionWord(token) && !isValue
}

/** Whether an item is a call of `unnest`, which may give several columns. */
function isSpread(tree: Tree): boolean {
  const called = asObjectName(asNode(asNode(tree)?.['Function'])?.['name'])
  return called?.at(-1)?.value.toLowerCase() === 'unnest'
}

/** The name an expression is, perhaps in parentheses; empty where it is none. */
function plainName(tree: Tree): readonly [string, Tree] {
  const [kind, value] = variant(tree) ?? ['', null]
  if (kind === 'Nested') return plainName(value)
  return kind === 'Identifier' || kind === 'CompoundIdentifier' ? [kind, value] : ['', null]
}

function asListLength(kind: string, tree: Tree): number {
  return kind === 'Identifier' ? 1 : asList(tree).length
}

/** The expression of an argument, which may have a name; undefined for what is none. */
function plainArgument(argument: Tree): Tree | undefined {
  const node = asNode(argument)
  return asNode(node?.['Unnamed'])?.['Expr'] ?? asNode(asNode(node?.['Named'])?.['arg'])?.['Expr']
}

export function takesLambda(name: string): boolean {
  return /(?:transform|apply|filter|reduce|columns)$/.test(name)
}

function computed(op: string, one: bigint, other: bigint): bigint | undefined {
  if (op === 'Plus') return one + other
  if (op === 'Minus') return one - other
  if (op === 'Multiply') return one * other
  return undefined
}

function renamed({ list, open }: Fields, names: readonly string[]): Fields {
  if (names.length === 0) return { list, open }
  const known = names.map((name, i) => ({ name, meaning: list[i]?.meaning }))
  return { list: [...known, ...list.slice(names.length)], open }
}

/** The column of that name. */
function fieldOf(sources: readonly Source[], name: string): Field | undefined {
  for (const { byName } of sources) {
    const field = byName.get(name.toLowerCase())?.find(each => each.name === name)
    if (field !== undefined) return mergedField(sources, field)
  }
  return undefined
}

/** Adds the columns a star means; whether there may be more. */
function addStar(fields: Field[], sources: readonly Source[]): boolean {
  for (const { fields: own, merged } of sources)
    fields.push(...own.list.filter(({ name }) => !merged?.has(name)).map(field => mergedField(sources, field)))
  return sources.length === 0 || sources.some(({ fields: own }) => own.open)
}

/** Columns of a recursive common table have the types of those it starts with. */
function asStarted({ list, open }: Fields, start: Fields): Fields {
  const typed = list.map((field, i) => {
    const meaning = start.list[i]?.meaning
    return meaning?.kind === 'time' ? { ...field, meaning } : field
  })
  return { list: typed, open }
}

/** All plain names in a list of them. */
function identsOf(tree: Tree | undefined): Ident[] {
  if (Array.isArray(tree)) return tree.flatMap(identsOf)
  const node = asNode(tree)
  if (node === undefined) return []
  const ident = asIdent(node['Identifier'])
  return ident === undefined ? Object.values(node).flatMap(identsOf) : [ident]
}
