// Numbers, durations and strings as PromQL writes them.

/** From the largest on, in milliseconds. */
const units: Readonly<Record<string, number>> = {
  y: 31_536_000_000,
  w: 604_800_000,
  d: 86_400_000,
  h: 3_600_000,
  m: 60_000,
  s: 1_000,
  ms: 1
}

const decimal = /^(?:\d(?:_?\d)*\.?(?:\d(?:_?\d)*)?|\.\d(?:_?\d)*)(?:e[+-]?\d(?:_?\d)*)?$/
const hexadecimal = /^0x_?[\da-f](?:_?[\da-f])*$/
const octal = /^0(?:_?[0-7])+$/
const maxInteger = 2n ** 63n - 1n

/** A number or duration literal in seconds; undefined if invalid or out of range. */
export function parseNumber(text: string): number | undefined {
  const sign = text.startsWith('-') ? -1 : 1
  const digits = text.replace(/^[+-]/, '').trim().toLowerCase()
  if (digits === 'inf' || digits === 'infinity') return sign * Number.POSITIVE_INFINITY
  if (digits === 'nan') return Number.NaN
  const value = parseDigits(digits) ?? parseDuration(digits)
  return value === undefined ? undefined : sign * value
}

function parseDigits(digits: string): number | undefined {
  const plain = digits.replaceAll('_', '')
  if (hexadecimal.test(digits)) return BigInt(plain) <= maxInteger ? Number(plain) : undefined
  if (octal.test(digits) && BigInt(`0o${plain}`) <= maxInteger) return Number(`0o${plain}`)
  const value = decimal.test(digits) ? Number(plain) : Number.NaN
  return Number.isFinite(value) ? value : undefined
}

/** Whether a text has the syntax of a number or duration, in range or not. */
export function isNumeral(text: string): boolean {
  const digits = text.toLowerCase()
  return decimal.test(digits) || hexadecimal.test(digits) || /^(?:\d+(?:ms|[smhdwy]))+$/.test(digits)
}

/** A number as in the label `le`: without durations and separators; undefined if invalid or out of range. */
export function parseBound(text: string): number | undefined {
  const [, sign, digits] = /^([+-]?)(.*)$/s.exec(text.toLowerCase())!
  const factor = sign === '-' ? -1 : 1
  if (digits === 'inf' || digits === 'infinity') return factor * Number.POSITIVE_INFINITY
  if (digits === 'nan') return Number.NaN
  const value = /^(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/.test(digits!) ? Number(digits) : Number.NaN
  return Number.isFinite(value) ? factor * value : undefined
}

/** Milliseconds in 2^63 nanoseconds, some 292 years: no duration is longer. */
const maxDuration = 2 ** 63 / 1e6

export function isDuration(text: string): boolean {
  return /^(\d+y)?(\d+w)?(\d+d)?(\d+h)?(\d+m(?!s))?(\d+s)?(\d+ms)?$/.test(text) && text !== ''
}

/** `1h30m` in seconds: units in descending order, each at most once; undefined if invalid or too long. */
export function parseDuration(text: string): number | undefined {
  if (!isDuration(text)) return undefined
  let milliseconds = 0
  for (const [, count, unit] of text.matchAll(/(\d+)(ms|[ywdhms])/g)) {
    milliseconds += Number(count) * units[unit!]!
  }
  return milliseconds < maxDuration ? milliseconds / 1_000 : undefined
}

/** Milliseconds as `1h30m`. */
export function formatDuration(milliseconds: number): string {
  if (milliseconds === 0) return '0s'
  let rest = Math.abs(milliseconds)
  let text = milliseconds < 0 ? '-' : ''
  for (const [unit, size] of Object.entries(units)) {
    // Years and weeks are only used if nothing smaller is left.
    if ((unit === 'y' || unit === 'w') && rest % size !== 0) continue
    const count = Math.floor(rest / size)
    if (count > 0) text += `${count}${unit}`
    rest -= count * size
  }
  return text
}

const simpleEscapes: Readonly<Record<string, number>> = {
  a: 7,
  b: 8,
  f: 12,
  n: 10,
  r: 13,
  t: 9,
  v: 11,
  '\\': 92,
  "'": 39,
  '"': 34
}

/**
 * The text a literal with its quotes stands for; undefined when an escape is wrong. A byte that is not UTF-8 becomes the lone surrogate
 * U+DC00 + byte, so that names which hold one can be refused.
 */
export function unquote(literal: string): string | undefined {
  const quote = literal[0]
  const inner = literal.slice(1, -1)
  if (literal.length < 2 || literal.at(-1) !== quote) return undefined
  if (quote === '`') return inner
  if (inner.includes('\n')) return undefined
  if (!inner.includes('\\')) return inner
  const bytes: Buffer[] = []
  for (const [part] of inner.matchAll(/\\(?:x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|[0-7]{3}|.)|[^\\]+|\\/g)) {
    const piece = part.startsWith('\\') ? escaped(part.slice(1), quote!) : Buffer.from(part)
    if (piece === undefined) return undefined
    bytes.push(piece)
  }
  return decode(Buffer.concat(bytes))
}

function escaped(sequence: string, quote: string): Buffer | undefined {
  const kind = sequence[0]
  if (sequence.length > 1) {
    if (kind === 'x') return Buffer.of(Number.parseInt(sequence.slice(1), 16))
    if (kind === 'u' || kind === 'U') return codePoint(Number.parseInt(sequence.slice(1), 16))
    const octal = Number.parseInt(sequence, 8)
    return octal < 256 ? Buffer.of(octal) : undefined
  }
  if ((kind === "'" || kind === '"') && kind !== quote) return undefined
  const code = kind === undefined ? undefined : simpleEscapes[kind]
  return code === undefined ? undefined : Buffer.of(code)
}

function codePoint(code: number): Buffer | undefined {
  if (code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) return undefined
  return Buffer.from(String.fromCodePoint(code))
}

function decode(bytes: Buffer): string {
  let text = ''
  for (let at = 0; at < bytes.length; ) {
    const length = sequenceLength(bytes, at)
    text += length === 0 ? String.fromCharCode(0xdc00 + bytes[at]!) : bytes.toString('utf8', at, at + length)
    at += Math.max(length, 1)
  }
  return text
}

/** Length of the UTF-8 sequence at an offset; 0 if it is invalid. */
function sequenceLength(bytes: Buffer, at: number): number {
  const first = bytes[at]!
  const length = first < 0x80 ? 1 : first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc2 ? 2 : 0
  const sequence = bytes.subarray(at, at + length)
  return length > 0 && Buffer.from(sequence.toString('utf8')).equals(sequence) ? length : 0
}

/** A text as a double-quoted literal; bytes that are not UTF-8 become `\x..`. */
export function quote(text: string): string {
  let quoted = '"'
  for (const character of text) {
    const code = character.codePointAt(0)!
    if (character === '"' || character === '\\') quoted += `\\${character}`
    else if (character === '\n') quoted += '\\n'
    else if (character === '\t') quoted += '\\t'
    else if (character === '\r') quoted += '\\r'
    else if (code < 0x20 || code === 0x7f) quoted += `\\x${code.toString(16).padStart(2, '0')}`
    else if (code >= 0xdc80 && code < 0xdd00) quoted += `\\x${(code - 0xdc00).toString(16)}`
    else quoted += character
  }
  return `${quoted}"`
}
