// Which key comes next: items of one source mostly repeat the order of their keys, so a key is compared before it is looked up.
import type { ItemField } from '../../model/items.ts'

/** One spelling of a key in the body, and what followed it so far. */
export interface Key {
  readonly field: ItemField
  /** `"key":` as it stands in the body. */
  readonly bytes: Uint8Array
  /** The key that followed last time, and the one before that. */
  next: Key | undefined
  other: Key | undefined
}

export interface KeyOrder {
  /** Stands before the first key of an item. */
  readonly start: Key
  /** By the bytes between the quotes, as latin1. */
  readonly spellings: Map<string, Key>
}

export function createKeyOrder(): KeyOrder {
  return { start: createKey(undefined as unknown as ItemField, new Uint8Array(0)), spellings: new Map() }
}

export function createKey(field: ItemField, bytes: Uint8Array): Key {
  return { field, bytes, next: undefined, other: undefined }
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
