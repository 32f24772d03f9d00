// The tree of a regular expression, restricted to ASCII: a class is a set of the first 128 code points.

/** Bit c is set if code point c belongs to the set. */
export type CharSet = bigint

export type Node =
  | { readonly kind: 'empty' }
  | { readonly kind: 'set'; readonly chars: CharSet }
  /** Consumes no character. */
  | { readonly kind: 'assertion'; readonly name: AssertionName }
  | { readonly kind: 'sequence'; readonly parts: readonly Node[] }
  | { readonly kind: 'choice'; readonly branches: readonly Node[] }
  /** Groups count from 1 in the order of their opening parentheses. */
  | { readonly kind: 'group'; readonly body: Node }
  | {
      readonly kind: 'repeat'
      readonly body: Node
      readonly min: number
      readonly max: number
      readonly greedy: boolean
    }

export type AssertionName = 'text start' | 'text end' | 'line start' | 'line end' | 'boundary' | 'no boundary'

export const everyChar: CharSet = (1n << 128n) - 1n
export const lineFeed: CharSet = 1n << 10n

export function charRange(from: number, to: number): CharSet {
  if (from > 127) return 0n
  return (1n << BigInt(Math.min(to, 127) + 1)) - (1n << BigInt(from))
}

/** Adds the other case of each ASCII letter. */
export function bothCases(chars: CharSet): CharSet {
  const upper = chars & charRange(65, 90)
  const lower = chars & charRange(97, 122)
  return chars | (upper << 32n) | (lower >> 32n)
}

export function hasGroup(node: Node): boolean {
  if (node.kind === 'group') return true
  if (node.kind === 'sequence') return node.parts.some(hasGroup)
  if (node.kind === 'choice') return node.branches.some(hasGroup)
  return node.kind === 'repeat' && hasGroup(node.body)
}
