// Where row groups of data files end: after so many rows, or so many bytes of text.

/** Rows of a row group, the unit that readers skip by statistics. */
export const usualGroup = 122_880
/** Bytes of text after which a row group ends, because a reader may have to hold all of it. */
export const groupTextBytes = 64 * 2 ** 20

/** The row, counted from `from`, at which texts of these sizes reach `max` bytes; behind the last one if they do not. */
export function textEnd(sizes: Float64Array, from: number, max: number): number {
  let bytes = 0
  for (let i = 0; i < sizes.length; i++) {
    bytes += sizes[i]!
    if (bytes >= max) return from + i + 1
  }
  return from + sizes.length
}
