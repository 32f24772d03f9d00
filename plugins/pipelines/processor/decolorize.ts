// Takes the colours of terminals out of text.
import type { ProcessorDefinition } from '../../services.ts'
import { mapTexts } from './cells.ts'

export const decolorize: ProcessorDefinition = {
  kind: 'decolorize',
  compile(options, path) {
    return mapTexts(options, { kind: 'decolorize', path }, withoutColours)
  },
  doc: {
    summary: 'Removes colour sequences of terminals: ESC, `[`, digits and `;`, `m`. Other control sequences stay.',
    options: [],
    example: {
      yaml: 'decolorize: { field: line }',
      input: '{"line":"\\u001b[31mfail\\u001b[0m"}',
      output: '{"line":"fail"}'
    }
  }
}

/** The text without its colour codes; undefined if it has none. */
function withoutColours(bytes: Uint8Array, start: number, end: number): Uint8Array | undefined {
  const range = bytes.subarray(start, end)
  let found = range.indexOf(27)
  if (found < 0) return undefined
  const kept = new Uint8Array(range.length)
  let length = 0
  let at = 0
  while (found >= 0) {
    const stop = colourEnd(range, found)
    if (stop > found) {
      kept.set(range.subarray(at, found), length)
      length += found - at
      at = stop
    }
    found = range.indexOf(27, Math.max(stop, found + 1))
  }
  if (at === 0) return undefined
  kept.set(range.subarray(at), length)
  return kept.subarray(0, length + range.length - at)
}

/** Position behind the sequence that starts at `at`, or −1. */
function colourEnd(range: Uint8Array, at: number): number {
  if (range[at + 1] !== 91) return -1
  let i = at + 2
  while (i < range.length && ((range[i]! >= 48 && range[i]! <= 57) || range[i] === 59)) i++
  return range[i] === 109 ? i + 1 : -1
}
