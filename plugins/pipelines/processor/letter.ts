// Upper case, lower case or a capital letter in front.
import type { ProcessorDefinition } from '../../services.ts'
import { mapTexts } from './cells.ts'

type Change = (bytes: Uint8Array, start: number, end: number) => string | Uint8Array | undefined

const methods: Readonly<Record<string, Change>> = {
  lower: (bytes, start, end) => flipCase(bytes, start, end, 65),
  upper: (bytes, start, end) => flipCase(bytes, start, end, 97),
  capital: capitalise
}

export const letter: ProcessorDefinition = {
  kind: 'letter',
  compile(options, path) {
    const method = (options.text('method') ?? 'lower').toLowerCase()
    const change = Object.hasOwn(methods, method) ? methods[method] : undefined
    if (change === undefined) throw options.error(`method must be lower, upper or capital, not ${method}`)
    return mapTexts(options, { kind: 'letter', path }, change)
  },
  doc: {
    summary:
      'Changes the case of text. `upper` and `lower` change ASCII letters only; `capital` changes the first letter only.',
    options: [
      { name: 'method', type: '`lower`, `upper` or `capital`', default: '`lower`', text: 'In any case itself.' }
    ],
    example: { yaml: 'letter: { field: level, method: upper }', input: '{"level":"warn"}', output: '{"level":"WARN"}' }
  }
}

/** A copy with the 26 letters from `first` in the other case; undefined where there are none. */
function flipCase(bytes: Uint8Array, start: number, end: number, first: number): Uint8Array | undefined {
  let at = start
  while (at < end && !(bytes[at]! >= first && bytes[at]! < first + 26)) at++
  if (at === end) return undefined
  // Not slice(): of a Buffer that is the same memory.
  const changed = new Uint8Array(bytes.subarray(start, end))
  for (let i = at - start; i < changed.length; i++) {
    if (changed[i]! >= first && changed[i]! < first + 26) changed[i]! ^= 32
  }
  return changed
}

const decoder = new TextDecoder()

function capitalise(bytes: Uint8Array, start: number, end: number): string | undefined {
  const text = decoder.decode(bytes.subarray(start, end))
  const first = text.codePointAt(0)
  if (first === undefined) return undefined
  const letter = String.fromCodePoint(first)
  const capital = letter.toUpperCase()
  return capital === letter ? undefined : capital + text.slice(letter.length)
}
