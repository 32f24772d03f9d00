// Hints for misspelt names, with the same maximal distance as the original compiler.
import { closest } from '../../../core/compute.ts'

/** A note naming the candidate that is nearest to a name, if one is near. */
export function closestNote(name: string, candidates: Iterable<string>): string[] {
  const best = closest(name, candidates, Math.max(2, Math.floor(name.length / 2)))
  return best === undefined ? [] : [`did you mean "${best}"?`]
}
