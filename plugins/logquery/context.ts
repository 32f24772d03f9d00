// Finds the windows of time that contain the context of rows.
import { type Core, type RequestContext, type Table, unitsPerSecond } from '../../core/index.ts'
import type { Writing } from './compile/constant.ts'
import { countQuery, foundQuery, inUnits } from './compile/context.ts'
import { unitOf, type Value } from './compile/value.ts'
import { type Window, windowsAround } from './compile/window.ts'
import type { LogQuery } from './document/tree.ts'
import { readNumbers } from './latest.ts'

/** Seconds first tried on both sides of a row, and the factor for each further try. */
const firstWindow = 1n
const growth = 16n
/** Seconds between any two representable times. */
const maxWindow = 20_000_000_000n

/** Undefined if no row was found. Few iterations suffice, because each window is much wider than the one before. */
export async function findWindows(
  store: Core['store'],
  ctx: RequestContext,
  table: Table,
  query: LogQuery,
  write: () => Writing
): Promise<readonly Window[] | undefined> {
  const context = query.context!
  const times = await readNumbers(store, ctx, foundQuery(write(), table, query))
  if (times.length === 0) return undefined
  const unit = unitOf({ type: table.timeIndex.type } as Value)
  if (context.kind === 'seconds') {
    const { before, after } = inUnits(context, unit)
    return windowsAround(times, before, after)
  }
  for (let seconds = firstWindow; ; seconds *= growth) {
    const ticks = seconds * unitsPerSecond[unit]
    const windows = windowsAround(times, context.before > 0 ? ticks : 0n, context.after > 0 ? ticks : 0n)
    if (seconds > maxWindow) return windows
    const counts = await readNumbers(store, ctx, countQuery(write(), table, query, windows))
    const isEnough = counts.every((count, i) => count >= BigInt(i % 2 === 0 ? context.before : context.after))
    if (isEnough) return windows
  }
}
