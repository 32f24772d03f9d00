// Predicts the next key: items of one source mostly have the same order of keys, so the expected key is compared before the hash table is used.

import { DbError } from '../../errors.ts'
import type { ItemField } from '../../model/items.ts'
import { shorten } from '../../model/shorten.ts'

/**
 * How the value of a key is stored. `text`: numbers keep their digits. Otherwise an object is flattened: its members become fields named `prefix`
 * plus the member's name, nested names joined by dots, `levels` deep. Deeper objects, and arrays, become JSON text. An empty object stays at the key
 * itself.
 */
export type KeyMapping = 'text' | { readonly prefix: string; readonly levels: number }

/** One spelling of a key in the body, and the keys that followed it. */
export interface Key {
  readonly field: ItemField
  /** `"key":` as it stands in the body. */
  readonly bytes: Uint8Array
  readonly mapping: KeyMapping | undefined
  /** The keys of objects flattened at this key. */
  members: KeyOrder | undefined
  /** The key that followed last time, and the one that followed before. */
  next: Key | undefined
  other: Key | undefined
}

export interface KeyOrder {
  /** Stands before the first key of an item. */
  readonly start: Key
  /** Keyed by the bytes between the quotes, as latin1. */
  readonly spellings: Map<string, Key>
  /** Number of spellings here and in all flattened objects. */
  readonly total: { spellings: number }
  /** How to store the value of a key, and the name of its field. */
  readonly mappingOf: (name: string) => KeyMapping | undefined
  readonly prefix: string
}

/** The order of the keys of items. */
export function createKeyOrder(mappingOf: KeyOrder['mappingOf'] = () => undefined): KeyOrder {
  return orderOf('', mappingOf, { spellings: 0 })
}

/** Longer prefixes would make names that no column can have. */
const maxPrefixLength = 256

/** The key order of objects flattened at a key. Throws DbError `InvalidArguments` if the prefix is too long. */
export function memberOrder(key: Key, { prefix, levels }: Exclude<KeyMapping, 'text'>, outer: KeyOrder): KeyOrder {
  if (prefix.length > maxPrefixLength) {
    throw new DbError('InvalidArguments', `the keys on the way to a nested value are too long: ${shorten(prefix, 60)}`)
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

/** The key at a position, if it is one of the two expected after `previous`. */
export function expectedKey(previous: Key, body: Uint8Array, at: number): Key | undefined {
  const { next, other } = previous
  if (next === undefined) return undefined
  if (isAt(next, body, at)) return next
  if (other === undefined || !isAt(other, body, at)) return undefined
  previous.next = other
  previous.other = next
  return other
}

/** Remembers which key followed. */
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
