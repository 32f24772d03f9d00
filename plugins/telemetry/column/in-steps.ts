// Builds columns one after the other and yields to other requests in between.
import type { Column, Steps } from '../../../core/index.ts'

export function* inSteps(columns: readonly (() => Column)[]): Steps<Column[]> {
  const made: Column[] = []
  for (const make of columns) {
    made.push(make())
    yield
  }
  return made
}
