// Which key comes next: items of one source mostly repeat the order of their keys, so a key is compared before it is looked up.
import { DbError } from '../../errors.ts'
import type { ItemField } from '../../model/items.ts'

/**
 * How the value at a key is kept where that is not as it stands. `text`: a number as its digits. Otherwise the members of an object become
 * fields of their own called `prefix` and the member's name, those of objects within it by their names joined by dots, `levels` deep; an
 * object deeper than that, and an array, becomes its JSON text. An empty object is what is left at the key itself.
 */
export type KeyMapping = 'text' | { readonly prefix: string; readonly levels: number }

/** One spelling of a key in the body, and what followed it so far. */
export interface Key {
  readonly field: ItemField
  /** `"key":` as it stands in the body. */
  readonly bytes: Uint8Array
  readonly mapping: KeyMapping | undefined
  /** The keys of the objects that were spread here. */
  members: KeyOrder | undefined
  /** The key that followed last time, and the one before that. */
  next: Key | undefined
  other: Key | undefined
}

export interface KeyOrder {
  /** Stands before the first key of an item. */
  readonly start: Key
  /** By the bytes between the quotes, as latin1. */
  readonly spellings: Map<string, Key>
  /** Spellings here and in all objects that are spread. */
  readonly total: { spellings: number }
  /** How the value of a key is kept, and what its field is called. */
  readonly mappingOf: (name: string) => KeyMapping | undefined
  readonly prefix: string
}

/** The order of the keys of items. */
export function createKeyOrder(mappingOf: KeyOrder['mappingOf'] = () => undefined): KeyOrder {
  return orderOf('', mappingOf, { spellings: 0 })
}

/** Characters of a prefix beyond which no name behind it could be a column's. */
const maxPrefixLength = 256

/** The order of the keys of the objects at a key that spreads them. Throws DbError `InvalidArguments` where the way to them is too long for a name. */
export function memberOrder(key: Key, { prefix, levels }: Exclude<KeyMapping, 'text'>, outer: KeyOrder): KeyOrder {
  if (prefix.length > maxPrefixLength) {
    throw new DbError('InvalidArguments', `the keys on the way to a nested value are too long: ${prefix.slice(0, 60)}…`)
  }
  key.members ??= orderOf(prefix, name => ({ prefix: `${prefix}${name}.`, levels: levels - 1 }), outer.total)
  return key.members
}

function orderOf(prefix: string, mappingOf: KeyOrder['mappingOf'], total: KeyOrder['total']): KeyOrder {
  const start = createKey(undefined as unknown as ItemField, new Uint8Array(0), undefined)
  return { start, spellings: new Map(), total, mappingOf, prefix }
}

export function createKey(field: ItemField, bytes: Uint8Array, mapping: KeyMapping | undefined): Key {
  return { field, bytes, mapping, members: undefined, next: undefined, other: undefined }
}

/** The key at a position if it is one of the two expected behind `previous`. */
export function expectedKey(previous: Key, body: Uint8Array, at: number): Key | undefined {
  const { next, other } = previous
  if (next === undefined) return undefined
  if (isAt(next, body, at)) return next
  if (other === undefined || !isAt(other, body, at)) return undefined
  previous.next = other
  previous.other = next
  return other
}

/** Remembers what followed. */
export function follow(previous: Key, key: Key): void {
  previous.other = previous.next
  previous.next = key
}

function isAt({ bytes }: Key, body: Uint8Array, at: number): boolean {
  const { length } = bytes
  if (at + length > body.length) return false
  for (let i = 0; i < length; i++) if (body[at + i] !== bytes[i]) return false
  return true
}
