// Static types: the set of kinds a value may have, with what is known about the fields of objects and the items of arrays.
import type { Segment } from './ast.ts'
import { isArray, isObject, Regex, Timestamp, type Value } from './value.ts'

/** One bit for each kind. `undefined` is the kind of an absent path: null at run time, but never certain. */
export const bit = {
  string: 1,
  integer: 2,
  float: 4,
  boolean: 8,
  timestamp: 16,
  regex: 32,
  null: 64,
  undefined: 128,
  array: 256,
  object: 512
} as const
const allBits = 1023

/** The kinds in an object or array: by field or index, and the kind of all others, which includes `undefined`. */
export interface Fields {
  readonly known: ReadonlyMap<Segment, Kind>
  readonly unknown: Kind
}

/** `array` is present if and only if its bit is set; likewise `object`. */
export interface Kind {
  readonly bits: number
  readonly array?: Fields
  readonly object?: Fields
}

const scalar = (bits: number): Kind => ({ bits })
const nothing: ReadonlyMap<Segment, Kind> = new Map()

function makeAny(): Kind {
  const any = { bits: allBits } as { bits: number; array: Fields; object: Fields }
  any.array = { known: nothing, unknown: any }
  any.object = any.array
  return any
}

function makeJson(): Kind {
  const bits = allBits & ~(bit.timestamp | bit.regex | bit.undefined)
  const json = { bits } as { bits: number; array: Fields; object: Fields }
  const inner = { bits: bits | bit.undefined } as { bits: number; array: Fields; object: Fields }
  json.array = { known: nothing, unknown: inner }
  json.object = json.array
  inner.array = json.array
  inner.object = json.array
  return json
}

const undefinedKind = scalar(bit.undefined)
const anyKind = makeAny()
const anyFields = anyKind.object!

/** The kinds functions and programs are described with. */
export const kinds = {
  never: scalar(0),
  string: scalar(bit.string),
  integer: scalar(bit.integer),
  float: scalar(bit.float),
  number: scalar(bit.integer | bit.float),
  boolean: scalar(bit.boolean),
  timestamp: scalar(bit.timestamp),
  regex: scalar(bit.regex),
  null: scalar(bit.null),
  undefined: undefinedKind,
  /** Everything, nothing included. */
  any: anyKind,
  /** The kinds of values in a JSON document. */
  json: makeJson(),
  /** Any array. */
  array: { bits: bit.array, array: anyFields } as Kind,
  /** Any object. */
  object: { bits: bit.object, object: anyFields } as Kind
} as const

/** An array of any length whose items are of `items`. */
export function arrayOf(items: Kind): Kind {
  return { bits: bit.array, array: { known: nothing, unknown: withUndefined(items) } }
}

/** An object with exactly these fields, and others of `unknown` when given. A field that may be absent includes `undefined`. */
export function objectOf(fields: Readonly<Record<string, Kind>>, unknown: Kind = undefinedKind): Kind {
  return { bits: bit.object, object: { known: new Map(Object.entries(fields)), unknown: withUndefined(unknown) } }
}

/** An array with exactly these items. */
function tupleOf(items: readonly Kind[]): Kind {
  return { bits: bit.array, array: { known: new Map(items.entries()), unknown: undefinedKind } }
}

export function optional(kind: Kind): Kind {
  return withUndefined(kind)
}

function withUndefined(kind: Kind): Kind {
  return kind.bits & bit.undefined ? kind : { ...kind, bits: kind.bits | bit.undefined }
}

/** The kind of a value that has one of the kinds. */
export function union(...all: readonly Kind[]): Kind {
  return all.reduce(unionTwo, kinds.never)
}

function unionTwo(a: Kind, b: Kind): Kind {
  if (a === b || b.bits === 0) return a
  if (a.bits === 0) return b
  if (isAny(a) || isAny(b)) return anyKind
  return make(a.bits | b.bits, unionFields(a.array, b.array), unionFields(a.object, b.object))
}

/** A kind from parts; parts without their bit are left out. */
export function make(bits: number, array: Fields | undefined, object: Fields | undefined): Kind {
  const kind: { bits: number; array?: Fields; object?: Fields } = { bits }
  if (bits & bit.array) kind.array = array ?? anyFields
  if (bits & bit.object) kind.object = object ?? anyFields
  return kind
}

function unionFields(a: Fields | undefined, b: Fields | undefined): Fields | undefined {
  if (a === undefined || b === undefined || a === b) return a ?? b
  if (a === anyFields || b === anyFields) return anyFields
  const known = new Map<Segment, Kind>()
  for (const [key, kind] of a.known) known.set(key, unionTwo(kind, b.known.get(key) ?? b.unknown))
  for (const [key, kind] of b.known) if (!a.known.has(key)) known.set(key, unionTwo(kind, a.unknown))
  return { known, unknown: unionTwo(a.unknown, b.unknown) }
}

/** Whether nothing is known about the kind, at any level. */
export function isAny(kind: Kind): boolean {
  return kind.bits === allBits && kind.object === anyFields && kind.array === anyFields
}

/** Whether the kind is not empty and has no bits besides `bits`. */
export function isOnly(kind: Kind, bits: number): boolean {
  return kind.bits !== 0 && (kind.bits & ~bits) === 0
}

export function mayBe(kind: Kind, bits: number): boolean {
  return (kind.bits & bits) !== 0
}

/** The kind without some of its bits. */
export function without(kind: Kind, bits: number): Kind {
  return make(kind.bits & ~bits, kind.array, kind.object)
}

/** The part of `kind` that `bits` allows. */
export function only(kind: Kind, bits: number): Kind {
  return make(kind.bits & bits, kind.array, kind.object)
}

/** Replaces `undefined` by null, which is what an absent path stores. */
export function stored(kind: Kind): Kind {
  if (!(kind.bits & bit.undefined)) return kind
  return make((kind.bits & ~bit.undefined) | bit.null, kind.array, kind.object)
}

/** Whether every value of kind `part` is also of kind `whole`; checks fields and items. */
export function isWithin(part: Kind, whole: Kind): boolean {
  if (part === whole || isAny(whole)) return true
  if ((part.bits & ~whole.bits) !== 0) return false
  return fieldsWithin(part.array, whole.array) && fieldsWithin(part.object, whole.object)
}

function fieldsWithin(part: Fields | undefined, whole: Fields | undefined): boolean {
  if (part === undefined || part === whole || whole === anyFields) return true
  if (whole === undefined) return false
  for (const [key, kind] of part.known) if (!isWithin(kind, whole.known.get(key) ?? whole.unknown)) return false
  for (const [key, kind] of whole.known) if (!part.known.has(key) && !isWithin(part.unknown, kind)) return false
  return isWithin(part.unknown, whole.unknown)
}

/** The kind of any item or field value: the union of all, without `undefined`. */
export function elementKind(kind: Kind): Kind {
  const parts = [kind.array, kind.object].filter(fields => fields !== undefined)
  const all = parts.flatMap(({ known, unknown }) => [...known.values(), without(unknown, bit.undefined)])
  return all.some(isAny) ? anyKind : without(union(...all), bit.undefined)
}

/** The exact kind of a value. */
export function kindOf(value: Value): Kind {
  if (isArray(value)) return tupleOf(value.map(kindOf))
  if (isObject(value)) return objectOf(Object.fromEntries([...value].map(([key, item]) => [key, kindOf(item)])))
  return scalar(valueBit(value))
}

const names = [
  'string',
  'integer',
  'float',
  'boolean',
  'timestamp',
  'regex',
  'null',
  'undefined',
  'array',
  'object'
] as const

/** `any`, `string`, `integer or float`, `string, integer or null`. */
export function kindText({ bits }: Kind): string {
  if ((bits | bit.undefined) === allBits) return 'any'
  const found = names.filter(name => bits & bit[name])
  if (found.length === 0) return 'never'
  return found.length === 1 ? found[0]! : `${found.slice(0, -1).join(', ')} or ${found.at(-1)}`
}

/** The bit of a value's kind. */
export function valueBit(value: Value): number {
  switch (typeof value) {
    case 'string':
      return bit.string
    case 'bigint':
      return bit.integer
    case 'number':
      return bit.float
    case 'boolean':
      return bit.boolean
  }
  if (value === null) return bit.null
  if (value instanceof Map) return bit.object
  if (Array.isArray(value)) return bit.array
  if (value instanceof Timestamp) return bit.timestamp
  return value instanceof Regex ? bit.regex : bit.string
}

/** Maximum parts of a kind; beyond that the kinds of members are no longer tracked. */
const maxParts = 5000

/** The kind, or the kind without known fields if there are too many, because programs can make kinds double with every line. */
export function bounded(kind: Kind): Kind {
  if (kind.array === undefined && kind.object === undefined) return kind
  return countParts(kind, maxParts) < 0 ? make(kind.bits, undefined, undefined) : kind
}

function countParts({ array, object }: Kind, left: number): number {
  let rest = left - 1
  for (const fields of [array, object]) {
    if (fields === undefined || fields === anyFields) continue
    for (const kind of fields.known.values()) {
      rest = countParts(kind, rest)
      if (rest < 0) return rest
    }
    const { unknown } = fields
    if (unknown.array !== fields && unknown.object !== fields) rest = countParts(unknown, rest)
  }
  return rest
}
