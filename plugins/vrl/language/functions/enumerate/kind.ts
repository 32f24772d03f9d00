// Static kinds of functions that take an array or an object and return one.
import { type Kind, kinds, union } from '../../kind.ts'

/** An array where it takes one, an object where it takes one; nothing is known of what is inside. */
export function sameContainer({ array, object }: Kind): Kind {
  if (array === undefined && object === undefined) return union(kinds.array, kinds.object)
  return union(array ? kinds.array : kinds.never, object ? kinds.object : kinds.never)
}
