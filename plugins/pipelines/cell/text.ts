// Item values as text, as in join, table options and text columns.
import {
  cell,
  formatTimestamp,
  type ItemBatch,
  type ItemField,
  type ItemValue,
  Timestamp,
  writeJson
} from '../../../core/compute.ts'

/** Text of any value: text as it is, numbers in decimal, times in RFC 3339, arrays and objects as JSON, null as `<null>`. */
export function valueText(value: ItemValue): string {
  if (value === null) return '<null>'
  if (typeof value === 'string') return value
  if (typeof value === 'number') return floatText(value)
  if (typeof value === 'bigint' || typeof value === 'boolean') return String(value)
  return value instanceof Timestamp ? formatTimestamp(value.ns) : writeJson(value)
}

/** Text of a present cell. */
export function cellText(batch: ItemBatch, field: ItemField, row: number): string {
  return field.kinds[row] === cell.string ? batch.text(field, row) : valueText(batch.get(field, row) ?? null)
}

/** Shortest decimal digits without an exponent, and without `.0`. */
function floatText(value: number): string {
  const text = String(value)
  const match = /^(-?)(\d)(?:\.(\d+))?e([+-]\d+)$/.exec(text)
  if (match === null) return text
  const [, sign, whole, fraction = '', exponent] = match
  const digits = `${whole}${fraction}`
  const point = 1 + Number(exponent)
  if (point <= 0) return `${sign}0.${'0'.repeat(-point)}${digits}`
  return `${sign}${digits.padEnd(point, '0')}`
}
