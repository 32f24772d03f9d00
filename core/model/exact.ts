// Whether a number is represented exactly in another type. Decimals are compared by digits: 0.1 is exact as a float because it reads back as 0.1.

/** Whether a 64-bit float represents the integer exactly. */
export function isExactFloat(value: bigint): boolean {
  return BigInt(Number(value)) === value
}

/** Whether a 32-bit float reads back with the same digits. */
export function isExactFloat32(value: number): boolean {
  const narrow = Math.fround(value)
  if (narrow === value || Number.isNaN(value)) return true
  if (!Number.isFinite(narrow)) return false
  for (let digits = 1; digits <= 9; digits++) {
    const shortest = Number(narrow.toPrecision(digits))
    if (Math.fround(shortest) === narrow) return shortest === value
  }
  return false
}

const jsonNumber = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/

/** The float that a text represents. Undefined for text that is not a JSON number, NaN or Infinity, or has more digits than a float holds. */
export function readExactFloat(text: string): number | undefined {
  if (text === 'NaN' || text === 'Infinity' || text === '-Infinity') return Number(text)
  if (text.length > 1000 || !jsonNumber.test(text)) return undefined
  const value = Number(text)
  return Number.isFinite(value) && significant(text) === significant(String(value)) ? value : undefined
}

/** The integer that a text represents; undefined if the integer would be written in another way. */
export function readExactInteger(text: string): bigint | undefined {
  return /^(?:0|-?[1-9]\d{0,19})$/.test(text) ? BigInt(text) : undefined
}

/** The digits without leading and trailing zeros, and the power of ten of the first: equal for texts of the same number. */
function significant(text: string): string {
  const [, whole = '', fraction = '', exponent = '0'] = /^-?(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text)!
  const digits = (whole + fraction).replace(/^0+/, '')
  const leading = whole.length + fraction.length - digits.length
  const trimmed = digits.replace(/(?<!0)0+$/, '')
  return trimmed === '' ? '0' : `${trimmed}e${Number(exponent) + whole.length - leading}`
}
