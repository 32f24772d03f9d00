// Resolves the escapes of a Go string literal.

const simple: Readonly<Record<string, string>> = {
  a: '\u0007',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  '\\': '\\',
  "'": "'",
  '"': '"'
}

/** Digits of a numeric escape, and their base, by its letter. */
const numeric: Readonly<Record<string, readonly [digits: number, base: 16]>> = { x: [2, 16], u: [4, 16], U: [8, 16] }

/** Undefined for an unknown escape or an invalid code point. `\x` and octal escapes are bytes of UTF-8; invalid ones are replaced. */
export function unquote(text: string): string | undefined {
  if (!text.includes('\\')) return text
  const parts: Buffer[] = []
  let plain = 0
  for (let at = text.indexOf('\\'); at >= 0; at = text.indexOf('\\', plain)) {
    const found = readEscape(text, at + 1)
    if (found === undefined) return undefined
    parts.push(Buffer.from(text.slice(plain, at)), found.bytes)
    plain = found.end
  }
  return Buffer.concat([...parts, Buffer.from(text.slice(plain))]).toString()
}

function readEscape(text: string, at: number): { readonly bytes: Buffer; readonly end: number } | undefined {
  const letter = text[at] ?? ''
  const known = Object.hasOwn(simple, letter) ? simple[letter] : undefined
  if (known !== undefined) return { bytes: Buffer.from(known), end: at + 1 }
  const isOctal = letter >= '0' && letter <= '7'
  const [digits, base] = isOctal ? [3, 8] : Object.hasOwn(numeric, letter) ? numeric[letter]! : [0, 0]
  if (digits === 0) return undefined
  const start = isOctal ? at : at + 1
  const written = text.slice(start, start + digits)
  if (written.length < digits || !(isOctal ? /^[0-7]+$/ : /^[0-9a-f]+$/i).test(written)) return undefined
  const code = Number.parseInt(written, base)
  const isByte = isOctal || letter === 'x'
  const isCharacter = code <= 0x10ffff && (code < 0xd800 || code > 0xdfff)
  if (isByte ? code > 255 : !isCharacter) return undefined
  return { bytes: isByte ? Buffer.of(code) : Buffer.from(String.fromCodePoint(code)), end: start + digits }
}
