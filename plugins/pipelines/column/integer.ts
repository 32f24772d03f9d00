// Values that fit into integer columns.
import type { ColumnType } from '../../../core/compute.ts'

export interface IntegerRange {
  readonly least: number | bigint
  readonly greatest: number | bigint
  /** 64 bits: kept as bigint. */
  readonly wide: boolean
}

const ranges: Readonly<Partial<Record<ColumnType, IntegerRange>>> = {
  Int8: { least: -128, greatest: 127, wide: false },
  Int16: { least: -32_768, greatest: 32_767, wide: false },
  Int32: { least: -2_147_483_648, greatest: 2_147_483_647, wide: false },
  Int64: { least: -(2n ** 63n), greatest: 2n ** 63n - 1n, wide: true },
  UInt8: { least: 0, greatest: 255, wide: false },
  UInt16: { least: 0, greatest: 65_535, wide: false },
  UInt32: { least: 0, greatest: 4_294_967_295, wide: false },
  UInt64: { least: 0n, greatest: 2n ** 64n - 1n, wide: true }
}

/** The range of an integer type; undefined for any other type. */
export function integerRange(type: ColumnType): IntegerRange | undefined {
  return ranges[type]
}
