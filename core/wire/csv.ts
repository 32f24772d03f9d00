// Reads the first record of CSV, as ranges of its bytes.

interface CsvFields {
  /** Start and end offset of each field, two numbers per field, without the quotes around it. */
  readonly ranges: number[]
  /** By field: true where doubled quotes, or text behind the closing quote, must be taken out of the range. */
  readonly escaped: boolean[]
}

/**
 * Reads the first record of `bytes[start … end]`, skipping empty lines before it; what follows the record is ignored. `separator` and `quote` are
 * byte values. Never throws: a quote that is not closed ends with the bytes. Undefined if there is no record.
 */
export function readCsvRecord(
  bytes: Uint8Array,
  start: number,
  end: number,
  separator: number,
  quote: number
): CsvFields | undefined {
  let at = start
  while (at < end && isLineEnd(bytes[at]!)) at++
  if (at === end) return undefined
  const fields: CsvFields = { ranges: [], escaped: [] }
  for (;;) {
    const stop = bytes[at] === quote && at < end ? readQuoted(bytes, at, end, separator, quote, fields) : -1
    let next = stop
    if (next < 0) {
      next = fieldEnd(bytes, at, end, separator)
      fields.ranges.push(at, next)
      fields.escaped.push(false)
    }
    if (next >= end || bytes[next] !== separator) return fields
    at = next + 1
  }
}

/** Notes the quoted field that opens at `at` and returns its end. Text behind the closing quote belongs to it. */
function readQuoted(bytes: Uint8Array, at: number, end: number, separator: number, quote: number, fields: CsvFields) {
  let i = at + 1
  let escaped = false
  while (i < end) {
    if (bytes[i] !== quote) i++
    else if (i + 1 < end && bytes[i + 1] === quote) {
      escaped = true
      i += 2
    } else break
  }
  const next = i < end ? fieldEnd(bytes, i + 1, end, separator) : end
  const plain = i >= end || next === i + 1
  fields.ranges.push(at + 1, plain ? i : next)
  fields.escaped.push(escaped || !plain)
  return next
}

function fieldEnd(bytes: Uint8Array, at: number, end: number, separator: number): number {
  let i = at
  while (i < end && bytes[i] !== separator && !isLineEnd(bytes[i]!)) i++
  return i
}

function isLineEnd(byte: number): boolean {
  return byte === 10 || byte === 13
}

/** The bytes of a quoted field without escapes: doubled quotes become one, the closing quote is removed. */
export function unquoteCsv(bytes: Uint8Array, start: number, end: number, quote: number): Uint8Array {
  const plain = new Uint8Array(end - start)
  let length = 0
  let inside = true
  for (let i = start; i < end; i++) {
    if (inside && bytes[i] === quote) {
      if (bytes[i + 1] !== quote || i + 1 === end) {
        inside = false
        continue
      }
      i++
    }
    plain[length++] = bytes[i]!
  }
  return plain.subarray(0, length)
}
