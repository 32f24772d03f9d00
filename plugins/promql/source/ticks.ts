// Converts milliseconds to the unit of a table's time index.
import { type Table, type TimestampType, timeUnit, unitsPerSecond } from '../../../core/index.ts'
import type { TimeRange } from './find.ts'

/** Units of the time index in a millisecond; below 1 for seconds. */
export function ticksPerMilli({ timeIndex }: Table): number {
  return Number(unitsPerSecond[timeUnit(timeIndex.type as TimestampType)]) / 1_000
}

/** A range of milliseconds, both ends included, as the store takes it: end exclusive. */
export function tickRange(table: Table, { from, to }: TimeRange): { readonly from?: bigint; readonly to?: bigint } {
  const perMilli = ticksPerMilli(table)
  return {
    ...(from !== undefined && { from: toTicks(Math.ceil(from), perMilli) }),
    ...(to !== undefined && { to: toTicks(Math.floor(to) + 1, perMilli) })
  }
}

/** The nearest time the store knows where the table's unit does not reach so far. */
function toTicks(milliseconds: number, perMilli: number): bigint {
  const ticks = perMilli >= 1 ? BigInt(milliseconds) * BigInt(perMilli) : BigInt(Math.ceil(milliseconds * perMilli))
  return ticks > maxTicks ? maxTicks : ticks < -maxTicks ? -maxTicks : ticks
}

const maxTicks = 2n ** 63n - 1n
