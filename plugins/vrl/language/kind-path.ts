// Kinds (static types) along paths: the kind a read yields, and the kind that is left after a write or a removal.
import type { Segment } from './ast.ts'
import { bit, type Fields, type Kind, kinds, make, stored, union, without } from './kind.ts'

/** The kind of the value at a path; includes `undefined` if there may be none. */
export function kindAt(kind: Kind, path: readonly Segment[]): Kind {
  return path.reduce(kindAtSegment, kind)
}

function kindAtSegment(kind: Kind, segment: Segment): Kind {
  const container = typeof segment === 'string' ? bit.object : bit.array
  const fields = typeof segment === 'string' ? kind.object : kind.array
  if (fields === undefined) return kind.bits === 0 ? kind : kinds.undefined
  const found = typeof segment === 'number' && segment < 0 ? fromEnd(fields, segment) : at(fields, segment)
  return kind.bits & ~container ? union(found, kinds.undefined) : found
}

function at(fields: Fields, segment: Segment): Kind {
  return fields.known.get(segment) ?? fields.unknown
}

/** The number of items if it is certain, else undefined. */
export function exactLength({ known, unknown }: Fields): number | undefined {
  if (unknown.bits !== bit.undefined) return undefined
  for (let i = 0; i < known.size; i++) {
    const item = known.get(i)
    if (item === undefined || item.bits & bit.undefined) return undefined
  }
  return known.size
}

function fromEnd(fields: Fields, segment: number): Kind {
  const length = exactLength(fields)
  if (length !== undefined) return fields.known.get(length + segment) ?? kinds.undefined
  return union(...fields.known.values(), fields.unknown, kinds.undefined)
}

/** The kind after `value` was written at a path; parents of another kind are replaced. */
export function kindWith(kind: Kind, path: readonly Segment[], value: Kind, depth = 0): Kind {
  if (depth === path.length) return stored(value)
  const segment = path[depth]!
  return typeof segment === 'string'
    ? withField(kind, segment, old => kindWith(old, path, value, depth + 1))
    : withItem(kind, segment, old => kindWith(old, path, value, depth + 1))
}

const closed: Fields = { known: new Map(), unknown: kinds.undefined }

/** The known fields of the container that is written to; none if the value may be of another kind. */
function found(kind: Kind, container: number): Fields {
  const fields = container === bit.object ? kind.object : kind.array
  if (fields === undefined) return closed
  if ((kind.bits & ~container) === 0) return fields
  return {
    known: new Map([...fields.known].map(([key, item]) => [key, union(item, kinds.undefined)])),
    unknown: fields.unknown
  }
}

function withField(kind: Kind, field: string, change: (old: Kind) => Kind): Kind {
  const { known, unknown } = found(kind, bit.object)
  const fields = new Map(known)
  fields.set(field, change(known.get(field) ?? unknown))
  return make(bit.object, undefined, { known: fields, unknown })
}

function withItem(kind: Kind, index: number, change: (old: Kind) => Kind): Kind {
  const fields = found(kind, bit.array)
  const items = index < 0 ? itemsFromEnd(fields, index, change) : itemsWith(fields, index, change)
  return make(bit.array, items, undefined)
}

function itemsWith({ known, unknown }: Fields, index: number, change: (old: Kind) => Kind): Fields {
  const items = new Map(known)
  // Items at large indexes are not tracked one by one: the nulls that pad the array up to them would fill a large table.
  if (index > 256) return { known, unknown: union(unknown, kinds.null, change(unknown)) }
  for (let i = 0; i < index; i++) items.set(i, stored(known.get(i) ?? unknown))
  items.set(index, change(known.get(index) ?? unknown))
  return { known: items, unknown }
}

function itemsFromEnd(fields: Fields, index: number, change: (old: Kind) => Kind): Fields {
  const length = exactLength(fields)
  if (length !== undefined && length + index >= 0) return itemsWith(fields, length + index, change)
  if (length !== undefined && index >= -256) {
    const padding = -index - length
    const items = new Map<Segment, Kind>([[0, change(kinds.undefined)]])
    for (let i = 1; i < padding; i++) items.set(i, kinds.null)
    for (let i = 0; i < length; i++) items.set(padding + i, fields.known.get(i)!)
    return { known: items, unknown: kinds.undefined }
  }
  const any = union(...fields.known.values(), fields.unknown, kinds.null)
  return { known: new Map(), unknown: union(any, change(any), kinds.undefined) }
}

/** The kind after whatever is at a path was removed; `compact` when parents left empty go as well. */
export function kindWithout(kind: Kind, path: readonly Segment[], compact: boolean): Kind {
  if (path.length === 0) return emptied(kind)
  const [segment, ...rest] = path
  const fields = typeof segment === 'string' ? kind.object : kind.array
  if (fields === undefined) return kind
  if (rest.length === 0) return replace(kind, segment!, removeSegment(fields, segment!))
  const old = kindAt(kind, [segment!])
  if (!(old.bits & (bit.object | bit.array))) return kind
  let changed = kindWithout(without(old, bit.undefined), rest, compact)
  if (compact || old.bits & bit.undefined) changed = union(changed, kinds.undefined)
  if (typeof segment === 'number' && (segment < 0 || compact)) return replace(kind, segment, widened(fields, changed))
  const known = new Map(fields.known)
  if (known.has(segment!) || !fields.unknown.bits) known.set(segment!, changed)
  return replace(kind, segment!, { known, unknown: fields.unknown })
}

function emptied(kind: Kind): Kind {
  if (kind.object !== undefined && kind.bits === bit.object) return make(bit.object, undefined, closed)
  if (kind.array !== undefined && kind.bits === bit.array) return make(bit.array, closed, undefined)
  return union(
    kind.object ? make(bit.object, undefined, closed) : kinds.never,
    kind.array ? make(bit.array, closed, undefined) : kinds.never,
    kinds.null
  )
}

function replace(kind: Kind, segment: Segment, fields: Fields): Kind {
  return typeof segment === 'string' ? make(kind.bits, kind.array, fields) : make(kind.bits, fields, kind.object)
}

function removeSegment({ known, unknown }: Fields, segment: Segment): Fields {
  if (typeof segment === 'string') {
    const fields = new Map(known)
    if (unknown.bits === bit.undefined) fields.delete(segment)
    else fields.set(segment, kinds.undefined)
    return { known: fields, unknown }
  }
  const length = exactLength({ known, unknown })
  const index = segment < 0 && length !== undefined ? length + segment : segment
  if (index < 0)
    return segment < 0 && length !== undefined ? { known, unknown } : widened({ known, unknown }, kinds.never)
  const items = new Map<Segment, Kind>()
  for (const [key, item] of known) {
    if ((key as number) < index) items.set(key, item)
    else if ((key as number) > index) items.set((key as number) - 1, item)
  }
  return { known: items, unknown }
}

/** Items whose indexes are no longer known. */
function widened({ known, unknown }: Fields, more: Kind): Fields {
  return { known: new Map(), unknown: union(...known.values(), unknown, more, kinds.undefined) }
}
