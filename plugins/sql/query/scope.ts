// Resolves names by scope: the tables of each SELECT with their columns, those of the queries around it, and names of its items.
import type { TimeUnit } from '../../../core/index.ts'
import { catalogName, hint } from '../catalog/name.ts'
import { planError } from '../error.ts'
import type { Tree } from '../grammar/parser.ts'

/** The known facts of a value; `time`: it is a time without a zone, in UTC, and integers beside it count in this unit. */
export type Meaning =
  /** `unsure`: it may be an interval, the difference of two times. */
  | { readonly kind: 'time'; readonly unit?: TimeUnit; readonly unsure?: true }
  | { readonly kind: 'text' }
  /** A time with a zone. */
  | { readonly kind: 'zoned' }
  | { readonly kind: 'list'; readonly of: Meaning }
  /** The constant NULL, or a column of it: beside a value it is one of that type. */
  | { readonly kind: 'null' }
  /** None of these. */
  | { readonly kind: 'other' }
  /** Constants, by the tokens they are made of. */
  | { readonly kind: 'string'; readonly token: number }
  | { readonly kind: 'integer'; readonly value: bigint; readonly first: number; readonly last: number }
  | { readonly kind: 'date'; readonly first: number; readonly token: number }
  /** `names` are those of the members of a struct, in lower case. */
  | { readonly kind: 'tuple'; readonly of: readonly Value[]; readonly names?: readonly string[] }
  | undefined

/** The meaning of a member of a value; undefined if it is not known. */
export function memberOf(meaning: Meaning, name: string): Meaning {
  const at = meaning?.kind === 'tuple' ? (meaning.names?.indexOf(name.toLowerCase()) ?? -1) : -1
  return meaning?.kind === 'tuple' ? meaning.of[at]?.meaning : undefined
}

/** An expression and what is known of its value. `tree` is undefined where the expression is not at hand. */
export interface Value {
  readonly tree: Tree | undefined
  readonly meaning: Meaning
  /** Which column it is where the tree is a query, from 0; default the first. */
  readonly column?: number
}

export interface Field {
  /** As its table or query names it; case counts. */
  readonly name: string
  readonly meaning: Meaning
}

/** The columns of a table or a query. */
export interface Fields {
  readonly list: readonly Field[]
  /** There may be more than these. */
  readonly open: boolean
}

/** A table, view, subquery or call in a FROM. */
export interface Source {
  readonly name: string | undefined
  /** The name in lower case. */
  readonly folded: string | undefined
  readonly database?: string
  readonly fields: Fields
  /** The fields by their names in lower case. */
  readonly byName: ReadonlyMap<string, readonly Field[]>
  /** The engine's name of the only column, where that of the source means it, too. */
  readonly only?: string
  /** Columns that a join has already shown as those of another source, and what they are then. */
  readonly merged?: ReadonlyMap<string, Field>
}

export interface Scope {
  readonly sources: Source[]
  /** Items of the select list so far, by the names they were given. */
  readonly items: Map<string, Meaning>
  /** Arguments of a lambda by their names. */
  readonly parameters?: ReadonlyMap<string, Meaning>
  readonly outer: Scope | undefined
  /** Caches lookups for this many sources, because names may be looked up thousands of times. */
  known: { readonly sources: number; readonly alike: Map<string, readonly Field[]>; valid?: readonly string[] }
}

export type Found =
  /** `column` is the part that names it; what comes behind are fields of its value, `table` the part that names its table. */
  | { readonly kind: 'column'; readonly field: Field; readonly column: number; readonly table?: number }
  | { readonly kind: 'item'; readonly name: string; readonly meaning: Meaning }
  | { readonly kind: 'parameter'; readonly meaning: Meaning }
  /** A whole row of a table, or the only column of it, by the engine's name. */
  | { readonly kind: 'row'; readonly only?: string }
  /** `valid` are the names that there are; undefined where that is not known. */
  | { readonly kind: 'unknown'; readonly valid: readonly string[] | undefined }

export function makeSource(name: string | undefined, fields: Fields, database?: string): Source {
  return {
    name,
    folded: name?.toLowerCase(),
    fields,
    byName: byNameOf(fields),
    ...(database !== undefined && { database })
  }
}

const known = new WeakMap<readonly Field[], Source['byName']>()

/** A table may stand in a statement hundreds of times. */
function byNameOf({ list }: Fields): Source['byName'] {
  const byName = known.get(list) ?? Map.groupBy(list, field => field.name.toLowerCase())
  known.set(list, byName)
  return byName
}

export function makeScope(outer: Scope | undefined, parameters?: ReadonlyMap<string, Meaning>): Scope {
  const known = { sources: 0, alike: new Map() }
  return { sources: [], items: new Map(), outer, known, ...(parameters && { parameters }) }
}

/** The cached lookups of the current sources. */
function knownOf(scope: Scope): Scope['known'] {
  if (scope.known.sources !== scope.sources.length) scope.known = { sources: scope.sources.length, alike: new Map() }
  return scope.known
}

/** Resolves a name of one or more parts in a scope. `items` come first where the engine prefers them. Throws if names differ only in case. */
export function resolve(scope: Scope, parts: readonly string[], itemsFirst: boolean): Found {
  for (let at: Scope | undefined = scope; at !== undefined; at = at.outer) {
    if (at.parameters?.has(parts[0]!)) return { kind: 'parameter', meaning: at.parameters.get(parts[0]!) }
    const found = resolveHere(at, parts, itemsFirst && at === scope)
    if (found !== undefined) return found
  }
  return { kind: 'unknown', valid: validNames(scope) }
}

function resolveHere(scope: Scope, parts: readonly string[], itemsFirst: boolean): Found | undefined {
  const [first] = parts
  const item = parts.length === 1 ? scope.items.get(first!) : undefined
  const isItem = parts.length === 1 && scope.items.has(first!)
  if (itemsFirst && isItem) return { kind: 'item', name: first!, meaning: item }
  const qualified = qualifiedColumn(scope, parts)
  if (qualified !== undefined) return qualified
  const field = pick(fieldsLike(scope, first!.toLowerCase()), first!)
  if (field !== undefined) return { kind: 'column', field: mergedField(scope.sources, field), column: 0 }
  const folded = first!.toLowerCase()
  const whole = parts.length === 1 ? scope.sources.find(source => source.folded === folded) : undefined
  if (whole !== undefined) return { kind: 'row', ...(whole.only !== undefined && { only: whole.only }) }
  return isItem ? { kind: 'item', name: first!, meaning: item } : undefined
}

/** `table.column`, `database.table.column` and with the catalog before them. */
function qualifiedColumn({ sources }: Scope, parts: readonly string[]): Found | undefined {
  for (let table = Math.min(parts.length - 2, 2); table >= 0; table--) {
    const name = parts[table]!.toLowerCase()
    const source = sources.find(
      ({ folded, database }) =>
        folded === name && (table === 0 || database === parts[table - 1]) && (table < 2 || parts[0] === catalogName)
    )
    if (source === undefined) continue
    const column = parts[table + 1]!
    const field = pick(source.byName.get(column.toLowerCase()) ?? [], column)
    if (field !== undefined) return { kind: 'column', field, column: table + 1, table }
    const { list, open } = source.fields
    return { kind: 'unknown', valid: open ? undefined : namesOf(list) }
  }
  return undefined
}

/** Resolves a column without a table name. */
export function mergedField(sources: readonly Source[], field: Field): Field {
  return sources.findLast(({ merged }) => merged?.has(field.name))?.merged?.get(field.name) ?? field
}

/** The fields of all sources that have a name, which is in lower case. */
function fieldsLike(scope: Scope, name: string): readonly Field[] {
  const { alike } = knownOf(scope)
  const fields = alike.get(name) ?? scope.sources.flatMap(source => source.byName.get(name) ?? [])
  alike.set(name, fields)
  return fields
}

/** The field of that name; where there is none, the only one that differs in case. */
function pick(alike: readonly Field[], name: string): Field | undefined {
  const exact = alike.find(field => field.name === name)
  if (exact !== undefined) return exact
  const names = [...new Set(alike.map(field => field.name))]
  if (names.length > 1) {
    throw planError(`No field named ${name}${hint(name, names)}`)
  }
  return alike[0]
}

function validNames(scope: Scope): readonly string[] | undefined {
  const { sources } = scope
  if (sources.some(({ fields }) => fields.open)) return undefined
  const known = knownOf(scope)
  known.valid ??= namesOf(sources.flatMap(({ fields }) => fields.list))
  return known.valid
}

/** Some have none that is known. */
function namesOf(list: readonly Field[]): readonly string[] {
  return [...new Set(list.map(({ name }) => name))].filter(name => name !== '')
}
