// Memory that DuckDB's objects hold and the collector of garbage does not see: a chunk of megabytes is a few bytes of JavaScript. A query
// process collects whenever so much was let go; otherwise hundreds of mebibytes wait for it.
import { collect } from '../../../workers/free.ts'

/** Bytes of objects that were used at once, whose collection takes a millisecond, and of those that waited for a reader: some 20 ms. */
const limits = { minor: 16 << 20, major: 64 << 20 } as const

const passed = { minor: 0, major: 0 }

/** So many bytes more are held by objects that nobody uses any more; `major`, where these have been there for a while. */
export function letGo(bytes: number, type: keyof typeof limits): void {
  passed[type] += bytes
  if (passed[type] < limits[type]) return
  passed[type] = 0
  collect(type)
}
