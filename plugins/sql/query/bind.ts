// Binds the names of a statement: what each column means by the scope it stands in, which constants stand beside times, and the tables,
// calls and items that are translated. Whether the statement may run is not decided here.
import { DbError } from '../../../core/index.ts'
import type { Tree } from '../grammar/parser.ts'
import {
  asIdent,
  asList,
  asNode,
  asObjectName,
  type Ident,
  isQuery,
  type Position,
  type TreeNode,
  variant
} from '../grammar/tree.ts'
import { tableOf } from './newest.ts'
import {
  type Field,
  type Fields,
  type Found,
  type Meaning,
  makeScope,
  makeSource,
  resolve,
  type Scope,
  type Source
} from './scope.ts'
import { parseTableTime } from './time-type.ts'

export interface BindContext {
  /** The token at a place. */
  index(position: Position): number
  /** The name a token spells. */
  nameAt(token: number): string
  /** The table, view … that has a name, by the tokens of its parts. Throws DbError where there is none. */
  table(name: readonly number[], aliased: boolean): Source
  /** The value of the literal at a token, `undefined` where it is no whole number. */
  integerAt(token: number): bigint | undefined
  /** What the string at a token says, `undefined` where it is none. */
  stringAt(token: number): string | undefined
  /** Whether a token is this symbol or word. */
  isTokenAt(token: number, text: string): boolean
  /** The error for a name that means no column, where these are all there are. */
  noField(token: number, valid: readonly string[]): DbError
  /** Whether a token is a new name in a star's RENAME. */
  isRenameAt(token: number): boolean
}

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
  readonly time: Meaning & { readonly kind: 'time' }
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

export interface Bound {
  readonly references: readonly Reference[]
  /** Tokens of names given in the statement: of items, and of columns of common tables and subqueries. */
  readonly declared: readonly number[]
  /** Those of them that name items of a select list. */
  readonly items: readonly number[]
  /** Tokens of names of common tables, of sources, and where they are used. */
  readonly sourceNames: readonly number[]
  readonly times: readonly TimeConstant[]
  /** Calls, and words that may be one, that are items of a select list without names of their own: by the tokens of their names. */
  readonly unnamed: readonly (readonly number[])[]
  /** Other items without names that hold queries, whose text the engine would give as their name: by the token of their SELECT and their place behind it, from 0. */
  readonly unnamedQueries: readonly { readonly select: number; readonly item: number }[]
  /** Tokens of the names of functions that are called, where they are no parts of longer names. */
  readonly calls: readonly number[]
  readonly alone: readonly Alone[]
  /** Every column of every table may be meant. */
  readonly everyColumn: boolean
  /** The columns of the result; `byName` where a star is among its items. */
  readonly result: Fields
  readonly byName: boolean
}

type Common = ReadonlyMap<string, Fields>

interface Env {
  readonly common: Common
  readonly outer: Scope | undefined
}

const unknown: Fields = { list: [], open: true }

/** Throws DbError `Unsupported` for a statement that is no query. */
export function bindStatement(tree: Tree, context: BindContext): Bound {
  const [kind, value] = variant(tree) ?? ['', null]
  if (kind !== 'Query') throw new DbError('Unsupported', `${kind || 'this'} statement is not a query`)
  const query = asNode(value)!
  const binder = new Binder(context)
  const result = binder.query(query, { common: new Map(), outer: undefined })
  return Object.assign(binder, { result, byName: hasStar(query) })
}

/** Items with a name, stars, and calls, which are named by what is called; `unnest` is not, since it may give several columns. */
function namesItself(item: Tree): boolean {
  const [kind, value] = variant(item) ?? ['', null]
  const [inner, call] = variant(value) ?? ['', null]
  if (kind !== 'UnnamedExpr' || inner !== 'Function') return kind !== 'UnnamedExpr'
  return asObjectName(asNode(call)?.['name'])?.at(-1)?.value.toLowerCase() !== 'unnest'
}

/** Whether the result has columns that nobody names. */
function hasStar(query: TreeNode): boolean {
  const [kind, value] = variant(query['body']) ?? ['', null]
  const node = asNode(value)
  if (kind === 'Query') return hasStar(node!)
  if (kind === 'SetOperation') return hasStar({ body: node!['left']! }) || hasStar({ body: node!['right']! })
  if (kind !== 'Select') return false
  const items = asList(node?.['projection'])
  return items.length === 0 || items.some(item => ['Wildcard', 'QualifiedWildcard'].includes(variant(item)?.[0] ?? ''))
}

const comparisons = ['Eq', 'NotEq', 'Lt', 'LtEq', 'Gt', 'GtEq', 'Spaceship']

/** Calls whose value is one of their arguments, or of those of a group. */
const sameAsArgument = new Set(
  `any_value arg_max arg_min argmax argmin coalesce first first_value greatest ifnull lag last last_value lead least max max_by min min_by
   mode nth_value nullif quantile_disc`.split(/\s+/)
)
/** Calls that compare their arguments. */
const comparing = new Set(['coalesce', 'greatest', 'ifnull', 'least', 'nullif'])
/** Calls that make a time of a time. */
const timesOfTimes = new Set(['date_bin', 'date_trunc', 'datetrunc', 'time_bucket', 'now', 'date_add', 'last_day'])

const looksLikeTime = /^\s*\d{4}-\d\d-\d\d/

class Binder {
  readonly references: Reference[] = []
  readonly declared: number[] = []
  readonly items: number[] = []
  readonly sourceNames: number[] = []
  readonly times: TimeConstant[] = []
  readonly unnamed: (readonly number[])[] = []
  readonly unnamedQueries: { readonly select: number; readonly item: number }[] = []
  readonly calls: number[] = []
  readonly alone: Alone[] = []
  everyColumn = false
  readonly #context: BindContext
  /** What is bound only to know its columns leaves no trace. */
  #silent = false
  /** The last tokens of constants that are known to be times. */
  readonly #known = new Set<number>()
  /** How many queries there were. */
  #queries = 0

  constructor(context: BindContext) {
    this.#context = context
  }

  query(query: TreeNode, { common, outer }: Env): Fields {
    this.#queries++
    const withNode = asNode(query['with'])
    // A copy only where it gets more: there may be thousands of them, each a query.
    const own = withNode === undefined ? undefined : new Map(common)
    for (const table of asList(withNode?.['cte_tables'])) {
      const node = asNode(table)!
      this.#commonTable(node, withNode?.['recursive'] === true, own!, outer)
    }
    const env = { common: own ?? common, outer }
    const [kind] = variant(query['body']) ?? ['']
    const fields = this.#body(query['body'], env, query)
    const rest = makeScope(outer)
    if (kind !== 'Select') {
      rest.sources.push(makeSource(undefined, fields))
      this.#value(query['order_by'], rest, env)
    }
    for (const key of ['limit_clause', 'fetch']) this.#value(query[key], rest, env)
    return fields
  }

  #commonTable(node: TreeNode, recursive: boolean, known: Map<string, Fields>, outer: Scope | undefined): void {
    const alias = asNode(node['alias'])
    const name = this.#declareSource(asIdent(alias?.['name']))!
    const query = asNode(node['query'])!
    const columns = this.#columnNames(alias)
    const inner = recursive ? new Map(known) : known
    if (recursive) {
      const [kind, body] = variant(query['body']) ?? ['', null]
      const base = kind === 'SetOperation' ? asNode(body)?.['left'] : undefined
      const fields = base === undefined ? unknown : this.#quietly(() => this.#body(base, { common: known, outer }))
      inner.set(name.toLowerCase(), renamed(fields, columns))
    }
    known.set(name.toLowerCase(), renamed(this.query(query, { common: inner, outer }), columns))
  }

  #quietly<T>(work: () => T): T {
    const before = this.#silent
    this.#silent = true
    try {
      return work()
    } finally {
      this.#silent = before
    }
  }

  /** `around` is the query that is nothing but this, perhaps ordered and cut. */
  #body(body: Tree | undefined, env: Env, around: TreeNode = {}): Fields {
    const [kind, value] = variant(body) ?? ['', null]
    const node = asNode(value)
    if (node === undefined) return unknown
    if (kind === 'Query') return this.query(node, env)
    if (kind === 'Select') return this.#select(node, around, env)
    if (kind === 'SetOperation') {
      const left = this.#body(node['left'], env)
      return united(left, this.#body(node['right'], env), /ByName/.test(String(node['set_quantifier'])))
    }
    this.#value(node['rows'], makeScope(env.outer), env)
    const [row] = asList(node['rows'])
    const width = asList(Array.isArray(row) ? row : asNode(row)?.['content']).length
    return { list: Array.from({ length: width }, (_, i) => ({ name: `col${i}`, meaning: undefined })), open: false }
  }

  #select(select: TreeNode, around: TreeNode, env: Env): Fields {
    const scope = makeScope(env.outer)
    for (const item of asList(select['from'])) this.#joined(asNode(item)!, scope, env)
    const fields: Field[] = []
    let open = false
    const items = asList(select['projection'])
    const at = this.#tokenOf(asNode(select['select_token']))
    for (const [i, item] of items.entries()) {
      const before = this.#queries
      open = this.#item(item, scope, env, fields) || open
      const isNamed = namesItself(item)
      if (!isNamed && this.#queries > before && at !== undefined && !this.#silent)
        this.unnamedQueries.push({ select: at, item: i })
    }
    if (items.length === 0) {
      this.everyColumn ||= !this.#silent
      open = addStar(fields, scope.sources) || open
    }
    for (const key of ['selection', 'prewhere', 'group_by', 'qualify', 'named_window', 'distinct', 'sort_by']) {
      this.#value(select[key], scope, env)
    }
    for (const tree of [select['having'], around['order_by']]) this.#value(tree, scope, env, true)
    this.#standsAlone(select, around, env)
    return { list: fields, open }
  }

  /** Beside another table, or with names of its own for the columns, what a condition means is not certain. */
  #standsAlone(select: TreeNode, around: TreeNode, env: Env): void {
    const [name, alias] = tableOf(select)
    if (name === undefined || this.#silent || this.#commonOf(name, env) !== undefined) return
    const at = this.#context.index(name[0]!)
    this.alone.push({ at, alias, select, orderBy: around['order_by'], limit: around['limit_clause'] })
  }

  /** The common table a name of one part means. */
  #commonOf(name: readonly Ident[], { common }: Env): Fields | undefined {
    return name.length === 1 ? common.get(this.#nameOf(name[0]!).toLowerCase()) : undefined
  }

  /** Adds what an item of a select list is; whether there may be more than that. */
  #item(item: Tree, scope: Scope, env: Env, fields: Field[]): boolean {
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
      const meaning = lasting(this.#value(node!['expr'], scope, env))
      const alias = asIdent(node!['alias'])!
      const name = this.#declare(alias)
      if (!this.#silent) this.items.push(this.#context.index(alias))
      scope.items.set(name, meaning)
      fields.push({ name, meaning })
      return false
    }
    const before = this.references.length
    const meaning = lasting(this.#value(value, scope, env))
    const found = this.references[before]?.found
    const [inner, part] = variant(value) ?? ['', null]
    const isName = inner === 'Identifier' || inner === 'CompoundIdentifier'
    const called = asObjectName(asNode(asNode(value)?.['Function'])?.['name'])
    const word = asIdent(inner === 'Identifier' ? part : null)
    const unnamed = word === undefined ? called : [word]
    if (unnamed !== undefined && !this.#silent) this.unnamed.push(unnamed.map(this.#context.index))
    if (!isName) {
      const call = called?.at(-1)?.value.toLowerCase()
      fields.push({ name: '', meaning })
      return call === 'columns' || call === 'unnest' || inner === 'Function'
    }
    const last = inner === 'Identifier' ? asIdent(part) : asIdent(asList(part).at(-1))
    const name =
      found?.kind === 'column' && found.column === asListLength(inner, part) - 1 ? found.field.name : undefined
    fields.push({ name: name ?? (last === undefined ? '' : this.#nameOf(last)), meaning })
    return false
  }

  #star(options: TreeNode | undefined, sources: readonly Source[], scope: Scope, env: Env, fields: Field[]): boolean {
    this.everyColumn ||= !this.#silent
    this.#value(options?.['opt_exclude'] ?? null, scope, env)
    const replaced = new Map<string, Meaning>()
    const renames = new Map<string, string>()
    for (const item of asList(asNode(options?.['opt_replace'])?.['items'])) {
      const node = asNode(item)!
      const meaning = lasting(this.#value(node['expr'], scope, env))
      const column = asIdent(node['column_name'])
      if (column === undefined) continue
      const from = asIdent(asNode(node['expr'])?.['Identifier'])
      const name = this.#declare(column)
      if (from !== undefined && this.#context.isRenameAt(this.#context.index(column))) {
        const found = resolve(scope, [this.#nameOf(from)], false)
        if (found.kind === 'unknown' && found.valid !== undefined)
          throw this.#context.noField(this.#context.index(from), found.valid)
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
      if (right !== undefined) {
        const left = scope.sources.slice(0, before).flatMap(source => source.fields.list.map(({ name }) => name))
        const natural = JSON.stringify(operator).includes('"Natural"')
        const using = natural ? left : identsOf(usingOf(operator)).map(ident => this.#nameOf(ident))
        if (using.length > 0) scope.sources[before] = { ...right, merged: new Set(using) }
        if (natural) this.everyColumn ||= !this.#silent
      }
      this.#value(operator, scope, env)
    }
  }

  #factor(tree: Tree | undefined, scope: Scope, env: Env): void {
    const [kind, value] = variant(tree) ?? ['', null]
    const node = asNode(value)
    if (node === undefined) return
    const alias = asNode(node['alias'])
    const aliased = this.#declareSource(asIdent(alias?.['name']))
    const columns = this.#columnNames(alias)
    const add = (fields: Fields, name?: string, database?: string) => {
      scope.sources.push(makeSource(aliased ?? name, renamed(fields, columns), database))
    }
    const lateral = { ...env, outer: scope }
    if (kind === 'Derived') add(this.query(asNode(node['subquery'])!, lateral))
    else if (kind === 'Table' && (node['args'] === undefined || node['args'] === null)) {
      const name = tableName(node['name'])
      const common = this.#commonOf(name, env)
      const table =
        common === undefined ? this.#context.table(name.map(this.#context.index), alias !== undefined) : undefined
      if (common !== undefined) this.#sourceName(name[0]!)
      // Columns are renamed by their place.
      if (columns.length > 0) this.everyColumn ||= !this.#silent
      add(common ?? table?.fields ?? unknown, table?.name ?? this.#nameOf(name.at(-1)!), table?.database)
      this.#value(node['sample'], scope, env)
    } else if (kind === 'NestedJoin') {
      const inner = makeScope(env.outer)
      this.#joined(asNode(node['table_with_joins'])!, inner, env)
      if (aliased === undefined && columns.length === 0) scope.sources.push(...inner.sources)
      else {
        const fields: Field[] = []
        const open = addStar(fields, inner.sources)
        add({ list: fields, open })
      }
    } else if (kind === 'Pivot' || kind === 'Unpivot') {
      this.everyColumn ||= !this.#silent
      const { table, alias: _, ...rest } = node
      const inner = makeScope(env.outer)
      this.#factor(table, inner, env)
      this.#value(rest, inner, env)
      add({ list: inner.sources.flatMap(({ fields }) => fields.list), open: true }, inner.sources[0]?.name)
    } else {
      const { name, alias: _, ...rest } = node
      this.#value(rest, scope, env)
      const called = asObjectName(name)?.at(-1)
      add({ list: [], open: columns.length === 0 }, called && this.#nameOf(called))
    }
  }

  /** What an expression is; binds everything in it. */
  #value(tree: Tree | undefined, scope: Scope, env: Env, itemsFirst = false): Meaning {
    if (Array.isArray(tree)) {
      for (const item of tree) this.#value(item, scope, env, itemsFirst)
      return undefined
    }
    const node = asNode(tree)
    if (node === undefined) return undefined
    if (isQuery(node)) {
      const { list, open } = this.query(node, { ...env, outer: scope })
      return open || list.length !== 1 ? { kind: 'tuple', of: list.map(({ meaning }) => meaning) } : list[0]!.meaning
    }
    const [kind, value] = variant(node) ?? ['', null]
    const inner = (part: Tree | undefined) => this.#value(part, scope, env, itemsFirst)
    const parts = asNode(value)
    switch (kind) {
      case 'Identifier':
        return this.#reference([asIdent(value)], scope, itemsFirst)
      case 'CompoundIdentifier':
        return this.#reference(asList(value).map(asIdent), scope, itemsFirst)
      case 'Nested': {
        const meaning = inner(value)
        return meaning?.kind === 'integer' ? this.#wider(meaning, '(', ')') : meaning
      }
      case 'Subquery':
        return inner(value)
      case 'Value':
        return this.#constant(parts)
      case 'Tuple':
        return { kind: 'tuple', of: asList(value).map(inner) }
      case 'UnaryOp':
        return this.#signed(parts!, inner)
      case 'BinaryOp':
        return this.#binary(parts!, inner)
      case 'IsDistinctFrom':
      case 'IsNotDistinctFrom':
        this.#compare(asList(value).map(inner))
        return undefined
      case 'Between':
        this.#compare([inner(parts!['expr']), inner(parts!['low']), inner(parts!['high'])])
        return undefined
      case 'InList':
        this.#compare([inner(parts!['expr']), ...asList(parts!['list']).map(inner)])
        return undefined
      case 'InSubquery':
        this.#compare([inner(parts!['expr']), inner(parts!['subquery'])])
        return undefined
      case 'AnyOp':
      case 'AllOp':
        this.#compare([inner(parts!['left']), inner(parts!['right'])])
        return undefined
      case 'Case':
        return this.#choice(parts!, inner)
      case 'Cast':
        return this.#cast(parts!, inner)
      case 'TypedString':
        return this.#typed(parts!)
      case 'Function':
        return this.#call(parts!, scope, env, itemsFirst)
      case 'Lambda':
        return this.#arrow(parts!, scope, env, false)
      case 'CompoundFieldAccess':
        inner(parts!['root'])
        for (const access of asList(parts!['access_chain'])) if (!asNode(access)?.['Dot']) inner(access)
        return undefined
    }
    for (const part of Object.values(node)) inner(part)
    return undefined
  }

  #reference(idents: readonly (Ident | undefined)[], scope: Scope, itemsFirst: boolean): Meaning {
    const parts = idents.flatMap(ident => (ident === undefined ? [] : [this.#context.index(ident)]))
    if (parts.length === 0) return undefined
    const found = resolve(
      scope,
      parts.map(part => this.#context.nameAt(part)),
      itemsFirst
    )
    if (!this.#silent) this.references.push({ parts, found })
    if (found.kind === 'row' || found.kind === 'unknown') this.everyColumn ||= !this.#silent
    if (found.kind === 'item') return found.meaning
    return found.kind === 'column' && found.column === parts.length - 1 ? found.field.meaning : undefined
  }

  #constant(value: TreeNode | undefined): Meaning {
    const token = this.#tokenOf(value)
    if (token === undefined) return undefined
    if (this.#context.stringAt(token) !== undefined) return { kind: 'string', token }
    const integer = this.#context.integerAt(token)
    return integer === undefined ? undefined : { kind: 'integer', value: integer, first: token, last: token }
  }

  #tokenOf(value: TreeNode | undefined): number | undefined {
    const { line, column } = asNode(asNode(value?.['span'])?.['start']) ?? {}
    return typeof line === 'number' && typeof column === 'number' ? this.#context.index({ line, column }) : undefined
  }

  /** A number with a pair of symbols around it; undefined where they do not stand there. */
  #wider(number: Meaning & { kind: 'integer' }, before: string, behind: string): Meaning {
    const { isTokenAt } = this.#context
    const [first, last] = [number.first - 1, behind === '' ? number.last : number.last + 1]
    const stands = isTokenAt(first, before) && (behind === '' || isTokenAt(last, behind))
    return stands ? { ...number, first, last } : undefined
  }

  #signed({ op, expr }: TreeNode, inner: (part: Tree | undefined) => Meaning): Meaning {
    const meaning = inner(expr)
    if (meaning?.kind !== 'integer') return undefined
    if (op === 'Minus') return this.#wider({ ...meaning, value: -meaning.value }, '-', '')
    return op === 'Plus' ? this.#wider(meaning, '+', '') : undefined
  }

  #binary({ op, left, right }: TreeNode, inner: (part: Tree | undefined) => Meaning): Meaning {
    const [one, other] = [inner(left), inner(right)]
    if (comparisons.includes(String(op))) {
      this.#compare([one, other])
      return undefined
    }
    if (one?.kind === 'integer' && other?.kind === 'integer') {
      const value = computed(String(op), one.value, other.value)
      return value === undefined ? undefined : { kind: 'integer', value, first: one.first, last: other.last }
    }
    // A time and an interval.
    const isTime = one?.kind === 'time' ? other === undefined : one === undefined && other?.kind === 'time'
    return isTime && (op === 'Plus' || op === 'Minus') ? { kind: 'time' } : undefined
  }

  #choice(parts: TreeNode, inner: (part: Tree | undefined) => Meaning): Meaning {
    const operand = inner(parts['operand'])
    const branches = asList(parts['conditions']).map(asNode)
    const conditions = branches.map(branch => inner(branch?.['condition']))
    if (operand !== undefined) this.#compare([operand, ...conditions])
    const results = [...branches.map(branch => inner(branch?.['result'])), inner(parts['else_result'])]
    this.#compare(results)
    return results.find(result => result?.kind === 'time')
  }

  #cast(parts: TreeNode, inner: (part: Tree | undefined) => Meaning): Meaning {
    const meaning = inner(parts['expr'])
    const type = parseTableTime(parts['data_type'])
    if (type?.kind === 'time' && meaning?.kind === 'string') this.#add(meaning, type, true)
    if (type?.kind === 'time' && meaning?.kind === 'date') this.#add(meaning, type)
    return type?.kind === 'time' ? type : undefined
  }

  #typed({ data_type: written, value }: TreeNode): Meaning {
    const token = this.#tokenOf(asNode(value))
    const type = parseTableTime(written)
    if (token === undefined || type === undefined) return undefined
    if (type.kind === 'date') {
      return this.#context.isTokenAt(token - 1, 'date') ? { kind: 'date', first: token - 1, token } : undefined
    }
    this.#add({ kind: 'string', token }, type, true)
    return type
  }

  #call(call: TreeNode, scope: Scope, env: Env, itemsFirst: boolean): Meaning {
    const inner = (part: Tree | undefined) => this.#value(part, scope, env, itemsFirst)
    const path = asObjectName(call['name']) ?? []
    const name = path.at(-1)?.value.toLowerCase() ?? ''
    if (path.length === 1 && !this.#silent) this.calls.push(this.#context.index(path[0]!))
    const { args: list, name: _, ...rest } = call
    // `column.function()`: what stands before the dot is the first argument.
    if (path.length > 1) this.#reference(path.slice(0, -1), scope, itemsFirst)
    if (name === 'columns') this.everyColumn ||= !this.#silent
    const written = asNode(asNode(list)?.['List'])
    const meanings = asList(written?.['args']).map(argument => {
      const node = asNode(argument)
      const plain = asNode(node?.['Unnamed'])?.['Expr'] ?? asNode(asNode(node?.['Named'])?.['arg'])?.['Expr']
      if (node?.['Unnamed'] === 'Wildcard') {
        if (name !== 'count') this.everyColumn ||= !this.#silent
        return undefined
      }
      const lambda = asNode(asNode(plain)?.['Lambda'])
      if (lambda !== undefined) return this.#arrow(lambda, scope, env, takesLambda(name))
      return plain === undefined ? inner(argument) : inner(plain)
    })
    inner(written?.['clauses'] ?? null)
    if (written === undefined) inner(list)
    inner(rest)
    if (comparing.has(name)) this.#compare(meanings)
    const time = meanings.find(meaning => meaning?.kind === 'time')
    if (time?.kind === 'time' || timesOfTimes.has(name)) {
      for (const meaning of meanings) {
        const text = meaning?.kind === 'string' ? this.#context.stringAt(meaning.token) : undefined
        if (text !== undefined && looksLikeTime.test(text))
          this.#add(meaning as { kind: 'string'; token: number }, { kind: 'time' }, true)
      }
    }
    if (name === 'date_bin' || name === 'cast_to_type') return lasting(meanings[1])
    if (timesOfTimes.has(name)) return time !== undefined || name === 'now' ? { kind: 'time' } : undefined
    if (!sameAsArgument.has(name)) return undefined
    return comparing.has(name) ? time : lasting(meanings[0])
  }

  /** `x -> …`: a lambda as the argument of a call that takes one, else a field of JSON. */
  #arrow({ params, body }: TreeNode, scope: Scope, env: Env, isLambda: boolean): Meaning {
    const one = asNode(asNode(params)?.['One'])
    const names = (one === undefined ? asList(asNode(params)?.['Many']).map(asNode) : [one]).flatMap(
      param => asIdent(param?.['name']) ?? []
    )
    if (isLambda) {
      const parameters = new Set(names.map(name => this.#nameOf(name)))
      this.#value(body, makeScope(scope, parameters), env)
    } else {
      for (const name of names) this.#reference([name], scope, false)
      this.#value(body, scope, env)
    }
    return undefined
  }

  /** Constants beside a time stand for one. */
  #compare(meanings: readonly Meaning[]): void {
    const tuples = meanings.filter(meaning => meaning?.kind === 'tuple')
    if (tuples.length > 1) {
      for (let i = 0; i < tuples[0]!.of.length; i++) this.#compare(tuples.map(({ of }) => of[i]))
    }
    const time = meanings.find(meaning => meaning?.kind === 'time')
    if (time?.kind !== 'time') return
    for (const meaning of meanings) {
      if (meaning?.kind === 'string' || meaning?.kind === 'integer' || meaning?.kind === 'date')
        this.#add(meaning, time)
    }
  }

  #add(constant: TimeConstant['constant'], time: TimeConstant['time'], bare = false): void {
    if (this.#silent) return
    const [first, last] =
      constant.kind === 'integer'
        ? [constant.first, constant.last]
        : [constant.kind === 'date' ? constant.first : constant.token, constant.token]
    if (this.#known.has(last)) return
    this.#known.add(last)
    this.times.push({ first, last, constant, time, ...(bare && { bare: true as const }) })
  }

  #nameOf(ident: Ident): string {
    return this.#context.nameAt(this.#context.index(ident))
  }

  #declare(ident: Ident): string {
    if (!this.#silent) this.declared.push(this.#context.index(ident))
    return this.#nameOf(ident)
  }

  #sourceName(ident: Ident): void {
    if (!this.#silent) this.sourceNames.push(this.#context.index(ident))
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

function tableName(tree: Tree | undefined): readonly Ident[] {
  const name = asObjectName(tree)
  if (name?.every(({ quote }) => quote === undefined || quote === '"')) return name
  throw new DbError(
    'Unsupported',
    'a table is named by a name, not by a string: a query reads tables of this server only'
  )
}

function asListLength(kind: string, tree: Tree): number {
  return kind === 'Identifier' ? 1 : asList(tree).length
}

function takesLambda(name: string): boolean {
  return /(?:transform|apply|filter|reduce|columns)$/.test(name)
}

/** What of a meaning stays when it is the column of a query. */
function lasting(meaning: Meaning): Meaning {
  return meaning?.kind === 'time' || meaning?.kind === 'text' ? meaning : undefined
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

/** Adds the columns a star means; whether there may be more. */
function addStar(fields: Field[], sources: readonly Source[]): boolean {
  for (const { fields: own, merged } of sources) fields.push(...own.list.filter(({ name }) => !merged?.has(name)))
  return sources.length === 0 || sources.some(({ fields: own }) => own.open)
}

function united(left: Fields, right: Fields, byName: boolean): Fields {
  const open = left.open || (byName && right.open)
  const list = left.list.map((field, i) => {
    const other = byName ? right.list.find(({ name }) => name === field.name) : right.list[i]
    const same = JSON.stringify(other?.meaning) === JSON.stringify(field.meaning)
    const absent = byName && other === undefined
    const bothTimes = field.meaning?.kind === 'time' && other?.meaning?.kind === 'time'
    return same || absent ? field : { ...field, meaning: bothTimes ? ({ kind: 'time' } as const) : undefined }
  })
  const more = byName ? right.list.filter(({ name }) => !list.some(field => field.name === name)) : []
  return { list: [...list, ...more], open }
}

function usingOf(operator: Tree | undefined): Tree | undefined {
  if (Array.isArray(operator)) return undefined
  const node = asNode(operator)
  if (node === undefined) return undefined
  if (node['Using'] !== undefined) return node['Using']
  for (const value of Object.values(node)) {
    const found = usingOf(value)
    if (found !== undefined) return found
  }
  return undefined
}

/** All plain names in a list of them. */
function identsOf(tree: Tree | undefined): Ident[] {
  if (Array.isArray(tree)) return tree.flatMap(identsOf)
  const node = asNode(tree)
  if (node === undefined) return []
  const ident = asIdent(node['Identifier'])
  return ident === undefined ? Object.values(node).flatMap(identsOf) : [ident]
}
