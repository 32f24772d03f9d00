// How much information a text holds.
import type { FunctionSpec } from '../../function.ts'
import { kinds } from '../../kind.ts'
import { lossy, type Text, toBytes } from '../../value.ts'

const segmentations = ['byte', 'codepoint', 'grapheme'] as const

export const entropies: readonly FunctionSpec[] = [
  {
    name: 'shannon_entropy',
    summary: 'The bits of information in a byte, code point or grapheme of the text, by their frequencies.',
    params: [
      { name: 'value', kind: kinds.string },
      { name: 'segmentation', kind: kinds.string, default: 'byte', constant: true, oneOf: segmentations }
    ],
    returns: kinds.float,
    prepare: call => {
      const segmentation = call.constant('segmentation')
      if (segmentation === 'byte') return (value: Text) => entropy(toBytes(value))
      if (segmentation === 'codepoint') return (value: Text) => entropy([...lossy(value)])
      const graphemes = new Intl.Segmenter('und', { granularity: 'grapheme' })
      return (value: Text) => entropy(Array.from(graphemes.segment(lossy(value)), ({ segment }) => segment))
    },
    examples: [
      { title: 'Four of a kind', source: 'shannon_entropy("aaaa")', result: '0.0' },
      { title: 'Four kinds', source: 'shannon_entropy("abcd")', result: '2.0' }
    ]
  }
]

function entropy(parts: ArrayLike<string | number>): number {
  const counts = new Map<string | number, number>()
  for (let i = 0; i < parts.length; i++) counts.set(parts[i]!, (counts.get(parts[i]!) ?? 0) + 1)
  let bits = 0
  for (const count of counts.values()) bits += (count / parts.length) * Math.log2(parts.length / count)
  return bits
}
