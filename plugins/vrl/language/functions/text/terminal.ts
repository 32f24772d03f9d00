// Removes terminal control sequences from a text (ECMA-48: control functions and control strings).

const escapeCode = 0x1b

/** Linear in the text. An unfinished sequence reaches to the end. */
export function stripEscapes(text: string): string {
  let kept = ''
  let start = 0
  let at = 0
  while (at < text.length) {
    const code = text.charCodeAt(at)
    if (!isControl(code)) {
      at++
      continue
    }
    kept += text.slice(start, at)
    if (code === 0x0a) kept += '\n'
    at = code === escapeCode ? sequenceEnd(text, at + 1) : at + 1
    start = at
  }
  return start === 0 ? text : kept + text.slice(start)
}

function isControl(code: number): boolean {
  return code < 0x20 || (code >= 0x7f && code <= 0x9f)
}

/** The end of the control sequence whose escape character is before `at`. */
function sequenceEnd(text: string, at: number): number {
  const code = text.charCodeAt(at)
  if (code === 0x5b) return skipUntil(text, at + 1, 0x40)
  // Control strings: OSC, DCS, SOS, PM, APC.
  if (code === 0x5d || code === 0x50 || code === 0x58 || code === 0x5e || code === 0x5f) return stringEnd(text, at + 1)
  // Intermediate bytes, then a final byte.
  return skipUntil(text, at, 0x30)
}

/** The position behind the first character from `min` to `~`. A control character ends the sequence without being part of it. */
function skipUntil(text: string, from: number, min: number): number {
  for (let at = from; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (isControl(code)) return at
    if (code >= min && code <= 0x7e) return at + 1
    if (code > 0x7e) return at
  }
  return text.length
}

/** Behind the bell, or the escape and backslash. */
function stringEnd(text: string, from: number): number {
  for (let at = from; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === 0x07 || code === 0x9c) return at + 1
    if (code === 0x18 || code === 0x1a) return at + 1
    if (code === escapeCode) return text.charCodeAt(at + 1) === 0x5c ? at + 2 : at
  }
  return text.length
}
