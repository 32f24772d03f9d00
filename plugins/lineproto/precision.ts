// The parameter `precision`: the unit of timestamps.
import { DbError } from '../../core/index.ts'
import type { Precision } from './decode/time.ts'

const units: Readonly<Record<string, Precision>> = {
  ns: { nanoseconds: 1n, seconds: 1, perSecond: 1e9 },
  us: { nanoseconds: 1_000n, seconds: 1, perSecond: 1e6 },
  ms: { nanoseconds: 1_000_000n, seconds: 1, perSecond: 1e3 },
  s: { nanoseconds: 1_000_000_000n, seconds: 1, perSecond: 1 },
  m: { nanoseconds: 60_000_000_000n, seconds: 60, perSecond: 1 },
  h: { nanoseconds: 3_600_000_000_000n, seconds: 3600, perSecond: 1 }
}

const words: ReadonlyMap<string, Precision> = new Map([
  ...Object.entries(units),
  ['n', units['ns']!],
  ['u', units['us']!],
  ['µ', units['us']!],
  ['µs', units['us']!]
])

/** Nanoseconds when absent. Throws DbError `InvalidArguments` naming what is allowed. */
export function readPrecision(text: string | undefined): Precision {
  const precision = words.get(text ?? 'ns')
  if (precision !== undefined) return precision
  throw new DbError(
    'InvalidArguments',
    `Failed to convert time precision, name: ${text}, expected one of n, ns, u, us, ms, s, m, h`
  )
}
