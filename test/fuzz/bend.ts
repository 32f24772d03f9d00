// Damages bytes slightly.
import type { Random } from './random.ts'

/** What means something in JSON, and what means nothing. */
export const jsonPieces = [
  ...[
    '"',
    '\\',
    '{',
    '}',
    '[',
    ']',
    ',',
    ':',
    ' ',
    '\n',
    '""',
    '{}',
    '[]',
    '\\u00e9',
    '\\u0000',
    '\\ud800',
    '\ufeff',
    'é'
  ],
  ...['null', '0', '1', '-1', '1e9', '1e999', '99999999999', '<']
]

/** Some bytes changed, put in or cut off, pieces put in where there are any; nothing one time in three. */
export function bendBytes(random: Random, bytes: Uint8Array, pieces?: readonly string[]): Uint8Array {
  let bent = Buffer.from(bytes)
  for (let changes = random.below(3); changes > 0 && bent.length > 0; changes--) {
    const at = random.below(bent.length)
    const piece =
      pieces === undefined || random.once(3) ? Buffer.of(random.below(256)) : Buffer.from(random.pick(pieces))
    const end = Math.min(bent.length, at + random.below(4))
    bent = Buffer.concat([bent.subarray(0, at), random.once(4) ? Buffer.alloc(0) : piece, bent.subarray(end)])
  }
  return Uint8Array.from(random.once(8) ? bent.subarray(0, random.below(bent.length + 1)) : bent)
}
