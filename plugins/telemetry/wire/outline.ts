// A first pass over a request: the byte ranges of its resources, scopes and items.

import { DbError, type Steps } from '../../../core/index.ts'
import { ProtoReader } from '../../../core/wire/index.ts'
import { request, resourceEntry, scopeEntry } from './field.ts'
import { Ranges } from './ranges.ts'

export interface Outline {
  /** The Resource message of each resource entry, an empty range where it has none, and its schema URL. */
  readonly resources: Ranges
  readonly resourceUrls: Ranges
  /** The same of scope entries; their owners are resource entries. */
  readonly scopes: Ranges
  readonly scopeUrls: Ranges
  /** Owners are scope entries. */
  readonly items: Ranges
  /** How many items are too large, and the bytes of the largest of them. */
  leftOut: number
  largest: number
}

export interface OutlineLimits {
  /** Largest number of resources, scopes and items together. */
  readonly items?: number
  /** Largest bytes of an item; larger ones are left out. */
  readonly itemBytes?: number
  /** Largest bytes of a resource and of a scope, which are read as a whole; a request with a larger one is refused. */
  readonly ownerBytes?: number
}

/** The limits of a configuration. */
export function limitsOf(options: { readonly max_items: number; readonly max_item_size: number }): OutlineLimits {
  const { max_items: items, max_item_size: itemBytes } = options
  return { items, itemBytes, ownerBytes: itemBytes }
}

/** Bytes of items handled between two yields to other requests. */
export const stepBytes = 1 << 16

/** Why an item is left out. */
export function tooLarge(what: string, bytes: number, max: number): string {
  return `${what} takes ${bytes} bytes, more than ${max} (plugins.telemetry.max_item_size)`
}

/**
 * Throws DbError `InvalidArguments`: with the byte offset if the body is not valid protobuf, with status 413 if it has more resources,
 * scopes and items than `limits` allow, or a larger resource or scope. The number is limited since an empty one takes two bytes in a request,
 * but many more in memory.
 */
export function* outlineOf(body: Uint8Array, limits: OutlineLimits = {}): Steps<Outline> {
  const outline: Outline = {
    resources: new Ranges(),
    resourceUrls: new Ranges(),
    scopes: new Ranges(),
    scopeUrls: new Ranges(),
    items: new Ranges(Math.max(16, body.length >> 8)),
    leftOut: 0,
    largest: 0
  }
  const walk: Walk = { reader: new ProtoReader(body), outline, limits, pauseAt: outlineStep }
  const { reader } = walk
  while (reader.next()) {
    if (reader.field === request.resources) yield* readResource(walk)
    else reader.skip()
    if (reader.at >= walk.pauseAt) yield pauseLater(walk)
  }
  return outline
}

/** Bytes between two yields. A field takes two at least. */
const outlineStep = 1 << 17

interface Walk {
  readonly reader: ProtoReader
  readonly outline: Outline
  readonly limits: OutlineLimits
  /** Where in the body the next yield is due. */
  pauseAt: number
}

function pauseLater(walk: Walk): undefined {
  walk.pauseAt = walk.reader.at + outlineStep
}

function checkCount({ resources, scopes, items, leftOut }: Outline, { items: max }: OutlineLimits): void {
  if (max === undefined || resources.count + scopes.count + items.count + leftOut < max) return
  const reason = `the request has more than ${max} resources, scopes and items (plugins.telemetry.max_items)`
  throw new DbError('InvalidArguments', `${reason}: send fewer at a time`, { status: 413 })
}

function* readResource(walk: Walk): Steps<void> {
  const { reader, outline, limits } = walk
  const { resources, resourceUrls } = outline
  const owner = resources.count
  checkCount(outline, limits)
  resources.add(owner, 0, 0)
  resourceUrls.add(owner, 0, 0)
  const outer = reader.enter()
  while (reader.next()) {
    if (reader.field === resourceEntry.resource) setRange(reader, resources, owner, 'a resource', limits.ownerBytes)
    else if (reader.field === resourceEntry.scopes) yield* readScope(walk, owner)
    else if (reader.field === resourceEntry.schemaUrl)
      setRange(reader, resourceUrls, owner, 'the schema URL of a resource', limits.ownerBytes)
    else reader.skip()
    if (reader.at >= walk.pauseAt) yield pauseLater(walk)
  }
  reader.leave(outer)
}

function* readScope(walk: Walk, resource: number): Steps<void> {
  const { reader, outline, limits } = walk
  const { scopes, scopeUrls, items } = outline
  const { itemBytes: maxBytes = Number.POSITIVE_INFINITY } = limits
  const owner = scopes.count
  checkCount(outline, limits)
  scopes.add(resource, 0, 0)
  scopeUrls.add(resource, 0, 0)
  const outer = reader.enter()
  while (reader.next()) {
    if (reader.field === scopeEntry.items) {
      checkCount(outline, limits)
      const start = reader.pass()
      const bytes = reader.at - start
      if (bytes <= maxBytes) items.add(owner, start, reader.at)
      else {
        outline.leftOut++
        outline.largest = Math.max(outline.largest, bytes)
      }
    } else if (reader.field === scopeEntry.scope) setRange(reader, scopes, owner, 'a scope', limits.ownerBytes)
    else if (reader.field === scopeEntry.schemaUrl)
      setRange(reader, scopeUrls, owner, 'the schema URL of a scope', limits.ownerBytes)
    else reader.skip()
    if (reader.at >= walk.pauseAt) yield pauseLater(walk)
  }
  reader.leave(outer)
}

/** Of a field that is given twice the last counts. */
function setRange(
  reader: ProtoReader,
  { starts, ends }: Ranges,
  i: number,
  what: string,
  max = Number.POSITIVE_INFINITY
): void {
  const start = reader.pass()
  if (reader.at - start > max)
    throw new DbError('InvalidArguments', tooLarge(what, reader.at - start, max), { status: 413 })
  starts[i] = start
  ends[i] = reader.at
}
