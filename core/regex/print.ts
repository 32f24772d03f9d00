// Prints a tree as a native expression, for ASCII text.
import type { AssertionName, CharSet, Node } from './tree.ts'

/** A native expression that matches ASCII text like the tree; groups keep their numbers. */
export function printNative(node: Node): string {
  switch (node.kind) {
    case 'empty':
      return ''
    case 'set':
      return printSet(node.chars)
    case 'assertion':
      return assertions[node.name]
    case 'sequence':
      return node.parts.map(printNative).join('')
    case 'choice':
      return `(?:${node.branches.map(printNative).join('|')})`
    case 'group':
      return `(${printNative(node.body)})`
    case 'repeat':
      return `(?:${printNative(node.body)})${printCount(node.min, node.max, node.greedy)}`
  }
}

/** Lines end only at a line feed, unlike with the native flag `m`. */
const assertions: Readonly<Record<AssertionName, string>> = {
  'text start': '^',
  'text end': '$',
  'line start': '(?<![^\\n])',
  'line end': '(?![^\\n])',
  boundary: '\\b',
  'no boundary': '\\B'
}

/** The quantifier, for example `{2,}?`. */
export function printCount(min: number, max: number, greedy: boolean): string {
  const count = max === Number.POSITIVE_INFINITY ? `{${min},}` : `{${min},${max}}`
  return greedy ? count : `${count}?`
}

function printSet(chars: CharSet): string {
  let ranges = ''
  for (let from = 0; from < 128; from++) {
    if (!has(chars, from)) continue
    let to = from
    while (to < 127 && has(chars, to + 1)) to++
    ranges += to === from ? hex(from) : `${hex(from)}-${hex(to)}`
    from = to
  }
  return `[${ranges}]`
}

function has(chars: CharSet, code: number): boolean {
  return ((chars >> BigInt(code)) & 1n) === 1n
}

function hex(code: number): string {
  return `\\x${code.toString(16).padStart(2, '0')}`
}
