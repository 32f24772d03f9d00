// Prints a tree as a native expression that captures everything in pieces, so that the positions of groups follow from lengths. Asking the
// engine for positions (flag `d`) takes five times as long.
import { printCount, printNative } from './print.ts'
import { hasGroup, type Node } from './tree.ts'

/** A capture, adjacent to others. */
interface Piece {
  /** The user's group, or 0. */
  readonly group: number
  /** The previous piece of its sequence, or −1. */
  readonly after: number
  /** The enclosing piece, or −1. */
  readonly inside: number
}

interface Pieces {
  /** Native source; capture k + 1 is `list[k]`. */
  readonly source: string
  readonly list: readonly Piece[]
}

/** For trees without groups in loops. */
export function cutTree(root: Node): Pieces {
  const cut: Cut = { list: [], groups: 0 }
  return { source: printSequence([root], -1, cut), list: cut.list }
}

interface Cut {
  readonly list: Piece[]
  groups: number
}

function printSequence(nodes: readonly Node[], inside: number, cut: Cut): string {
  let source = ''
  let after = -1
  const add = (group: number): number => {
    after = cut.list.push({ group, after, inside }) - 1
    return after
  }
  for (const run of runs(nodes.flatMap(flatten))) {
    const [first] = run
    if (first !== undefined && hasGroup(first)) source += printPart(first, add, cut)
    else {
      const text = run.map(printNative).join('')
      if (run.every(takesNothing)) source += text
      else {
        add(0)
        source += `(${text})`
      }
    }
  }
  return source
}

function printPart(node: Node, add: (group: number) => number, cut: Cut): string {
  switch (node.kind) {
    case 'group': {
      const piece = add(++cut.groups)
      return `(${hasGroup(node.body) ? printSequence([node.body], piece, cut) : printNative(node.body)})`
    }
    case 'choice': {
      const piece = add(0)
      return `(${node.branches.map(branch => printSequence([branch], piece, cut)).join('|')})`
    }
    case 'repeat': {
      const piece = add(0)
      const body = printSequence([node.body], piece, cut)
      return `((?:${body})${printCount(node.min, node.max, node.greedy)})`
    }
    default:
      return printNative(node)
  }
}

function flatten(node: Node): readonly Node[] {
  return node.kind === 'sequence' ? node.parts.flatMap(flatten) : [node]
}

/** Joins adjacent parts without groups; parts with groups stay alone. */
function runs(nodes: readonly Node[]): Node[][] {
  const found: Node[][] = []
  let open: Node[] | undefined
  for (const node of nodes) {
    if (hasGroup(node)) {
      found.push([node])
      open = undefined
    } else if (open === undefined) {
      open = [node]
      found.push(open)
    } else open.push(node)
  }
  return found
}

function takesNothing({ kind }: Node): boolean {
  return kind === 'assertion' || kind === 'empty'
}

/** A function that writes the groups of a match into spans, as `RegexRoute.find` does; `start` is the offset of the text. */
export function spanWriter({ list }: Pieces): (match: RegExpExecArray, start: number, spans: Int32Array) => void {
  const starts = new Int32Array(list.length)
  const ends = new Int32Array(list.length)
  return (match, start, spans) => {
    const first = start + match.index
    spans[0] = first
    spans[1] = first + match[0].length
    for (let i = 0; i < list.length; i++) {
      const { group, after, inside } = list[i]!
      const text = match[i + 1]
      const from = after >= 0 ? ends[after]! : inside >= 0 ? starts[inside]! : first
      starts[i] = from
      ends[i] = from + (text === undefined ? 0 : text.length)
      if (group === 0) continue
      spans[group * 2] = text === undefined ? -1 : from
      spans[group * 2 + 1] = text === undefined ? -1 : ends[i]!
    }
  }
}
