// Sends an ItemBatch to another thread: its arrays are transferred, nested values are serialised.
import { deserialize, serialize } from 'node:v8'
import {
  type Item,
  ItemBatch,
  type ItemBatchParts,
  type ItemValue,
  type Steps,
  Timestamp
} from '../../../core/compute.ts'

/**
 * Nested values are sent one after the other, each array and object as its length, with its parts behind it: a value may be so large that it would
 * hold the event loop in one piece. Absent cells are undefined.
 */
type Token = undefined | null | boolean | bigint | number | string | Length | { readonly ns: bigint }
type Length = { readonly array: number } | { readonly object: number }

/** What makes a step, and one piece of bytes: values, and characters of texts. */
const [stepValues, stepText] = [2048, 1 << 18]

export interface PackedItems extends Omit<ItemBatchParts, 'fields'> {
  readonly fields: readonly (Omit<ItemBatchParts['fields'][number], 'objects'> & {
    /** Nested values as bytes, so many at a time: made into them by the thread's messages, they would hold the event loop. */
    readonly objects: readonly Uint8Array<ArrayBuffer>[] | undefined
  })[]
}

/** The batch must not be used afterwards. `moved`: the buffers to transfer. */
export function* packItems(
  batch: ItemBatch
): Steps<{ readonly items: PackedItems; readonly moved: readonly ArrayBuffer[] }> {
  const parts = batch.parts()
  const fields: PackedItems['fields'][number][] = []
  const moved = [parts.states.buffer as ArrayBuffer]
  for (const field of parts.fields) {
    const objects = field.objects && (yield* packObjects(field.objects))
    fields.push({ ...field, objects })
    moved.push(field.kinds.buffer as ArrayBuffer, field.words.buffer as ArrayBuffer)
    for (const { buffer } of objects ?? []) moved.push(buffer)
  }
  return { items: { ...parts, fields }, moved }
}

function* packObjects(objects: readonly (ItemValue | undefined)[]): Steps<Uint8Array<ArrayBuffer>[]> {
  const tokens = new TokenWriter()
  for (const each of objects) yield* pack(each, tokens)
  tokens.flush()
  return tokens.packed
}

class TokenWriter {
  readonly packed: Uint8Array<ArrayBuffer>[] = []
  #tokens: Token[] = []
  #text = 0

  /** True where a step is full, and bytes were made of it. */
  add(token: Token): boolean {
    this.#tokens.push(token)
    if (typeof token === 'string') this.#text += token.length
    if (this.#tokens.length < stepValues && this.#text < stepText) return false
    this.flush()
    return true
  }

  flush(): void {
    this.packed.push(new Uint8Array(serialize(this.#tokens)))
    this.#tokens = []
    this.#text = 0
  }
}

export function unpackItems(items: PackedItems): ItemBatch {
  const fields = items.fields.map(field => ({ ...field, objects: field.objects && unpackObjects(field.objects) }))
  return ItemBatch.fromParts({ ...items, fields })
}

function unpackObjects(packed: readonly Uint8Array[]): ItemValue[] {
  const objects: ItemValue[] = []
  const tokens = readTokens(packed)
  let at = 0
  for (let next = tokens.next(); !next.done; next = tokens.next()) {
    if (next.value !== undefined) objects[at] = unpack(next.value, tokens)
    at++
  }
  return objects
}

function* readTokens(packed: readonly Uint8Array[]): Generator<Token, undefined> {
  for (const bytes of packed) yield* deserialize(bytes) as readonly Token[]
}

function* pack(value: ItemValue | undefined, tokens: TokenWriter): Steps<void> {
  if (typeof value !== 'object' || value === null) {
    if (tokens.add(value)) yield
  } else if (value instanceof Timestamp) {
    if (tokens.add({ ns: value.ns })) yield
  } else if (Array.isArray(value)) {
    if (tokens.add({ array: value.length })) yield
    for (const each of value) yield* pack(each, tokens)
  } else {
    // In one step: those of an object of a hundred thousand take some 20 ms.
    const keys = Object.keys(value)
    if (tokens.add({ object: keys.length })) yield
    for (const key of keys) {
      if (tokens.add(key)) yield
      yield* pack(value[key], tokens)
    }
  }
}

function unpack(token: Token, tokens: Generator<Token, undefined>): ItemValue {
  if (typeof token !== 'object' || token === null) return token!
  if ('ns' in token) return new Timestamp(token.ns)
  if ('array' in token) return Array.from({ length: token.array }, () => unpack(tokens.next().value, tokens))
  const object: Item = Object.create(null)
  for (let i = 0; i < token.object; i++) {
    const key = tokens.next().value as string
    object[key] = unpack(tokens.next().value, tokens)
  }
  return object
}
