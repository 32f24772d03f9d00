// Reads a JSON document member by member; errors name the path of the member.
import { DbError, didYouMean, type ItemValue, shorten } from '../../../core/index.ts'

/** A value with its path, and the budget of the document. */
export interface Node {
  /** Such as `$.filters.And[0].Single`. */
  readonly path: string
  readonly value: ItemValue
}

/** A constant of a query. Integers are bigint, or number beyond 64 bits. */
export type Scalar = string | bigint | number | boolean

/** Members by name; undefined if null or absent. */
type Members<K extends string> = { readonly [N in K]?: Node }

export function wrong(path: string, message: string): DbError {
  return new DbError('InvalidArguments', `${path}: ${message}`)
}

/** Adds the path to errors of `work`. */
export function atPath<T>(path: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw error instanceof DbError
      ? new DbError('InvalidArguments', `${path}: ${error.message}`, { cause: error })
      : error
  }
}

/** The members of an object; others than these are refused. */
export function membersOf<const K extends string>(node: Node, known: readonly K[]): Members<K> {
  const { value, path } = node
  if (!isObject(value)) throw expected(node, 'an object')
  const members: { [N in K]?: Node } = {}
  for (const [key, member] of Object.entries(value)) {
    if (!known.includes(key as K)) {
      throw wrong(memberPath(path, key), `unknown key${didYouMean(key, known)}, the keys here are ${known.join(', ')}`)
    }
    if (member !== null) members[key as K] = { path: memberPath(path, key), value: member }
  }
  return members
}

/** The single member of a variant object such as `{"And": …}`; a text is a variant without value, such as `"Exist"`. */
export function variantOf<const K extends string>(node: Node, kinds: readonly K[]): readonly [kind: K, node: Node] {
  const { value, path } = node
  const named = typeof value === 'string' ? { [value]: null } : value
  if (!isObject(named)) throw expected(node, `an object with one of the keys ${kinds.join(', ')}`)
  const [entry, another] = Object.entries(named)
  if (entry === undefined || another !== undefined) {
    const found = entry === undefined ? 'no key' : `the keys ${Object.keys(named).slice(0, 5).join(', ')}`
    throw wrong(path, `expected an object with one of the keys ${kinds.join(', ')}, found ${found}`)
  }
  const [kind, inner] = entry
  if (!kinds.includes(kind as K)) {
    const valuePath = typeof value === 'string' ? path : memberPath(path, kind)
    throw wrong(valuePath, `unknown kind ${shown(kind)}${didYouMean(kind, kinds)}, expected one of ${kinds.join(', ')}`)
  }
  return [kind as K, { path: typeof value === 'string' ? path : memberPath(path, kind), value: inner! }]
}

export function required(parent: Node, key: string, member: Node | undefined): Node {
  if (member === undefined) throw wrong(parent.path, `the key ${key} is missing`)
  return member
}

export function textOf(node: Node): string {
  if (typeof node.value !== 'string') throw expected(node, 'a text')
  return node.value
}

export function flagOf(node: Node | undefined): boolean {
  if (node === undefined) return false
  if (typeof node.value !== 'boolean') throw expected(node, 'true or false')
  return node.value
}

/** A constant, optionally with its type: `{"Int": 1}`. */
export function typedOf(node: Node): Scalar {
  if (node.value === null || typeof node.value !== 'object') return scalarOf(node)
  const [kind, inner] = variantOf(node, ['String', 'Int', 'UInt', 'Float', 'Boolean'])
  const { value } = inner
  switch (kind) {
    case 'String':
      return textOf(inner)
    case 'Boolean':
      return flagOf(inner)
    case 'Float':
      if (typeof value === 'number' || typeof value === 'bigint') return Number(value)
      throw expected(inner, 'a number')
  }
  if (typeof value !== 'bigint' || (kind === 'UInt' && value < 0n)) {
    throw expected(inner, kind === 'UInt' ? 'a whole number from 0 on' : 'a whole number')
  }
  return value
}

/** An integer from 0 to `max`. */
export function countOf(node: Node, max: number): number {
  const { value, path } = node
  if (typeof value !== 'bigint' || value < 0n) throw expected(node, 'a whole number from 0 on')
  if (value > max) throw wrong(path, `at most ${max}, found ${value}`)
  return Number(value)
}

export function listOf(node: Node): readonly Node[] {
  if (!Array.isArray(node.value)) throw expected(node, 'a list')
  return node.value.map((value, i) => ({ path: `${node.path}[${i}]`, value }))
}

export function scalarOf(node: Node): Scalar {
  const { value } = node
  if (value === null || typeof value === 'object') throw expected(node, 'a text, a number, true or false')
  return value
}

export function expected(node: Node, what: string): DbError {
  return wrong(node.path, `expected ${what}, found ${kindOf(node.value)}`)
}

/** A text shortened for messages. */
export function shown(text: string): string {
  return JSON.stringify(shorten(text, 60))
}

function kindOf(value: ItemValue): string {
  if (value === null) return 'null'
  if (typeof value === 'string') return `the text ${shown(value)}`
  if (typeof value !== 'object') return String(value)
  return Array.isArray(value) ? 'a list' : 'an object'
}

function memberPath(path: string, key: string): string {
  return /^[A-Za-z_]\w{0,99}$/.test(key) ? `${path}.${key}` : `${path}[${shown(key)}]`
}

function isObject(value: unknown): value is { readonly [key: string]: ItemValue } {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
