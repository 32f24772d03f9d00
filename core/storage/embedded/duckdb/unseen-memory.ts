// Collects garbage for native memory of DuckDB objects. The garbage collector only sees a few bytes of a chunk of megabytes, so a query
// process collects whenever enough was freed; otherwise hundreds of mebibytes would wait.
import { collect } from '../../../workers/free.ts'

/** Bytes of short-lived objects (their collection takes a millisecond), and of objects that waited for a reader (some 20 ms). */
const limits = { minor: 16 << 20, major: 64 << 20 } as const

const passed = { minor: 0, major: 0 }

/** Reports that objects holding so many bytes are no longer used; `major` if they existed for a while. */
export function letGo(bytes: number, type: keyof typeof limits): void {
  passed[type] += bytes
  if (passed[type] < limits[type]) return
  passed[type] = 0
  collect(type)
}
