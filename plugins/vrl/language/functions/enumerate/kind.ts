// Static kinds of functions that take an array or an object and return one.
import { type Kind, kinds, union } from '../../kind.ts'

/** An array or an object, whichever the type allows; the kinds of its members are unknown. */
export function sameContainer({ array, object }: Kind): Kind {
  if (array === undefined && object === undefined) return union(kinds.array, kinds.object)
  return union(array ? kinds.array : kinds.never, object ? kinds.object : kinds.never)
}
