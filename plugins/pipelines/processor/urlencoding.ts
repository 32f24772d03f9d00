// Percent encoding of text, both ways.
import type { ProcessorDefinition } from '../../services.ts'
import { shownText } from '../cell/input.ts'
import { percentDecode, percentEncode } from '../cell/percent.ts'
import { mapTexts } from './cells.ts'

export const urlencoding: ProcessorDefinition = {
  kind: 'urlencoding',
  compile(options, path) {
    const method = options.text('method') ?? 'decode'
    if (method !== 'decode' && method !== 'encode')
      throw options.error(`method must be decode or encode, not ${method}`)
    const change = method === 'decode' ? decode : percentEncode
    return mapTexts(options, { kind: 'urlencoding', path }, change)
  },
  doc: {
    summary:
      'Decodes or encodes `%` sequences. Encoding keeps letters, digits and `- _ . ~`. Decoding leaves `+` and broken sequences as ' +
      'they are; an item whose decoded text is not UTF-8 fails.',
    options: [{ name: 'method', type: '`decode` or `encode`', default: '`decode`', text: 'The direction.' }],
    example: { yaml: 'urlencoding: { field: q }', input: '{"q":"a%2Fb+c"}', output: '{"q":"a/b+c"}' }
  }
}

function decode(bytes: Uint8Array, start: number, end: number): Uint8Array | Error | undefined {
  const decoded = percentDecode(bytes, start, end)
  if (decoded !== null) return decoded
  const text = new TextDecoder().decode(bytes.subarray(start, Math.min(end, start + 240)))
  return new Error(`decoded text is not UTF-8: ${shownText(text)}`)
}
