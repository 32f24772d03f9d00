// Bounds the memory of a decoded request, because every row repeats the values of its resource and scope.
import { DbError } from '../../../core/index.ts'
import type { Outline } from './outline.ts'
import type { Ranges } from './ranges.ts'

/** Largest ratio of column bytes to request bytes. */
const maxExpansion = 16
const freeBytes = 64 << 20

/** Throws DbError `InvalidArguments` with status 413; `what` says how many rows of what would take so much. */
export function checkExpansion(bytes: number, { length }: Uint8Array, what: string): void {
  if (bytes <= Math.max(freeBytes, length * maxExpansion)) return
  throw new DbError('InvalidArguments', `${what} would take ${bytes} bytes as columns: send fewer at a time`, {
    status: 413
  })
}

/** Throws as `checkExpansion` does, for rows of which each repeats what its resource and scope say. */
export function checkRepeated(outline: Outline, body: Uint8Array, items: string): void {
  const { resources, resourceUrls, scopes, scopeUrls } = outline
  const repeated = new Float64Array(scopes.count)
  for (let i = 0; i < scopes.count; i++) {
    const resource = scopes.owners[i]!
    repeated[i] =
      sizeOf(scopes, i) + sizeOf(scopeUrls, i) + sizeOf(resources, resource) + sizeOf(resourceUrls, resource)
  }
  let bytes = 0
  const { owners, count } = outline.items
  for (let i = 0; i < count; i++) bytes += repeated[owners[i]!]!
  checkExpansion(bytes, body, `${count} ${items} with what their resources and scopes say`)
}

/** Throws as `checkExpansion` does, for scopes of which each is read with what its resource says. */
export function checkScopes({ resources, scopes }: Outline, body: Uint8Array): void {
  let bytes = 0
  for (let i = 0; i < scopes.count; i++) bytes += sizeOf(scopes, i) + sizeOf(resources, scopes.owners[i]!)
  checkExpansion(bytes, body, `${scopes.count} scopes with what their resources say`)
}

function sizeOf({ starts, ends }: Ranges, i: number): number {
  return ends[i]! - starts[i]!
}
