// Parses numbers from bytes.

/** Maximum digits of an integer, leading zeros included: parsing more would take quadratic time. */
const maxIntegerLength = 40

/** Maximum bytes of a number. */
const maxNumberLength = 1 << 20

/** The result of the last call. */
export class NumberReader {
  /** The position behind the number and its suffix; -1 if there is no number. */
  end = 0
  type: 'Float64' | 'Int64' | 'UInt64' = 'Float64'
  /** The float, or the integer if a float can represent it; otherwise NaN, and `integer` has the value. */
  value = 0
  integer = 0n

  /** Parses the number at a position. False if there is none (`end` is -1) or if it is out of range. */
  read(bytes: Buffer, start: number): boolean {
    const isNegative = bytes[start] === 0x2d
    const first = isNegative ? start + 1 : start
    let at = first
    let digits = 0
    let digit = bytes[at]! - 0x30
    const stop = start + maxNumberLength
    while (digit >= 0 && digit <= 9 && at < stop) {
      digits = digits * 10 + digit
      digit = bytes[++at]! - 0x30
    }
    const suffix = bytes[at]
    if (at > first && (suffix === 0x69 || suffix === 0x75)) {
      return this.#readInteger(bytes, start, at, isNegative ? -digits : digits)
    }
    let scale = 0
    if (suffix === 0x2e) {
      const point = at
      digit = bytes[++at]! - 0x30
      while (digit >= 0 && digit <= 9 && at < stop) {
        digits = digits * 10 + digit
        digit = bytes[++at]! - 0x30
      }
      scale = at - point - 1
      if (at - first === 1) return this.#refuse()
    } else if (at === first) return this.#refuse()
    this.type = 'Float64'
    // Both operands are exact, so the quotient is correctly rounded.
    const isShort = digits <= Number.MAX_SAFE_INTEGER && scale <= 22
    if (isShort && (bytes[at]! | 0x20) !== 0x65) {
      const value = scale === 0 ? digits : digits / powers[scale]!
      this.value = isNegative ? -value : value
      this.end = at
      return true
    }
    return this.#readSlowly(bytes, start, at)
  }

  #refuse(): boolean {
    this.end = -1
    return false
  }

  #readInteger(bytes: Buffer, start: number, end: number, value: number): boolean {
    this.type = bytes[end] === 0x69 ? 'Int64' : 'UInt64'
    this.end = end + 1
    const isSigned = this.type === 'Int64'
    if (!isSigned && bytes[start] === 0x2d) return false
    this.value = value
    if (Number.isSafeInteger(value)) return true
    this.value = Number.NaN
    if (end - start > maxIntegerLength) return false
    this.integer = BigInt(bytes.toString('latin1', start, end))
    return (isSigned ? BigInt.asIntN(64, this.integer) : BigInt.asUintN(64, this.integer)) === this.integer
  }

  /** Parses numbers with an exponent, or with more digits than a float can hold. */
  #readSlowly(bytes: Buffer, start: number, digitsEnd: number): boolean {
    let at = digitsEnd
    if ((bytes[at]! | 0x20) === 0x65) {
      at++
      if (bytes[at] === 0x2b || bytes[at] === 0x2d) at++
      const exponent = at
      const stop = start + maxNumberLength
      while (bytes[at]! >= 0x30 && bytes[at]! <= 0x39 && at < stop) at++
      if (at === exponent) return this.#refuse()
    }
    this.end = at
    this.value = Number(bytes.toString('latin1', start, at))
    return Number.isFinite(this.value)
  }
}

const powers = Float64Array.from({ length: 23 }, (_, i) => Number(`1e${i}`))
