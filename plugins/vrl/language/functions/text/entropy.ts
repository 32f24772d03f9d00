// How much information a text holds.
import { type Context, step } from '../../context.ts'
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
      const { context } = call
      const segmentation = call.constant('segmentation')
      if (segmentation === 'byte') return (value: Text) => entropy(context, toBytes(value))
      if (segmentation === 'codepoint') return (value: Text) => entropy(context, lossy(value))
      const graphemes = new Intl.Segmenter('und', { granularity: 'grapheme' })
      return (value: Text) => entropy(context, segments(graphemes, lossy(value)))
    },
    examples: [
      { title: 'Four of a kind', source: 'shannon_entropy("aaaa")', result: '0.0' },
      { title: 'Four kinds', source: 'shannon_entropy("abcd")', result: '2.0' }
    ]
  }
]

function* segments(segmenter: Intl.Segmenter, text: string): Iterable<string> {
  for (const { segment } of segmenter.segment(text)) yield segment
}

function entropy(context: Context, parts: Iterable<string | number>): number {
  const counts = new Map<string | number, number>()
  let total = 0
  for (const part of parts) {
    step(context)
    counts.set(part, (counts.get(part) ?? 0) + 1)
    total++
  }
  let bits = 0
  for (const count of counts.values()) bits += (count / total) * Math.log2(total / count)
  return bits
}
