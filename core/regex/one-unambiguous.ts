// Proves of an expression that trying its ways one after the other takes linear time, so that the runtime's own engine may run it.
//
// Every set of characters in the tree is a position. When after each position the next character alone says which position comes next, and
// there is only one way to it, a wrong turn ends at the next character: an attempt costs no more than its length times the number
// of positions. An expression that is not bound to the start of the text is attempted at many starts. When no character that can
// start a match can be taken by a loop, at most as many attempts as there are positions run through the same character. A loop that
// may be the end of a match does not count: an attempt that gets there succeeds, and the next one starts behind it.
import { type CharSet, hasGroup, type Node } from './tree.ts'

/** Larger expressions are not looked at. */
const maxPositions = 600
const maxUnboundPositions = 100
const maxEdges = 20_000

interface Positions {
  readonly sets: CharSet[]
  readonly next: number[][]
  readonly loops: Set<number>
  edges: number
}

interface Shape {
  /** Can match nothing. */
  readonly nullable: boolean
  readonly first: readonly number[]
  readonly last: readonly number[]
  /** Those of `last` behind which no assertion stands: whoever gets there has matched. */
  readonly sure: readonly number[]
  /** False where an assertion stands in the way of nothing. */
  readonly freely: boolean
}

const nothing: Shape = { nullable: true, first: [], last: [], sure: [], freely: true }

/** What is known of a one-unambiguous expression. */
export interface OneUnambiguous {
  /** Every match has at least one character. */
  readonly takesSome: boolean
}

/** Undefined unless linear time is certain, and groups mean the same to both engines. */
export function oneUnambiguous(root: Node): OneUnambiguous | undefined {
  const positions: Positions = { sets: [], next: [], loops: new Set(), edges: 0 }
  const shape = shapeOf(root, positions, false)
  if (shape === undefined) return undefined
  if (!differ(shape.first, positions.sets) || !positions.next.every(next => differ(next, positions.sets)))
    return undefined
  const found = { takesSome: !shape.nullable }
  if (startsWithText(root)) return found
  const starts = shape.first.reduce((all, position) => all | positions.sets[position]!, 0n)
  const sure = new Set(shape.sure)
  const restarts = [...positions.loops].some(
    position => !sure.has(position) && (starts & positions.sets[position]!) !== 0n
  )
  return !shape.nullable && positions.sets.length <= maxUnboundPositions && !restarts ? found : undefined
}

/** Whether no character belongs to two of the positions. */
function differ(list: readonly number[], sets: readonly CharSet[]): boolean {
  let seen = 0n
  for (const position of list) {
    if ((seen & sets[position]!) !== 0n) return false
    seen |= sets[position]!
  }
  return true
}

function startsWithText(node: Node): boolean {
  if (node.kind === 'assertion') return node.name === 'text start'
  if (node.kind === 'group') return startsWithText(node.body)
  if (node.kind === 'choice') return node.branches.every(startsWithText)
  if (node.kind !== 'sequence') return false
  const first = node.parts.find(({ kind }) => kind !== 'empty')
  return first !== undefined && startsWithText(first)
}

/** Undefined where there are several ways to nothing, or where a group stands in a loop. */
function shapeOf(node: Node, positions: Positions, inLoop: boolean): Shape | undefined {
  switch (node.kind) {
    case 'empty':
      return nothing
    case 'assertion':
      return { ...nothing, freely: false }
    case 'set':
      return addPosition(node.chars, positions, inLoop)
    case 'group':
      return inLoop ? undefined : shapeOf(node.body, positions, inLoop)
    case 'sequence':
      return sequence(
        node.parts.map(part => () => shapeOf(part, positions, inLoop)),
        positions
      )
    case 'choice':
      return choice(node.branches, positions, inLoop)
    case 'repeat':
      return repeat(node, positions, inLoop)
  }
}

function addPosition(chars: CharSet, positions: Positions, inLoop: boolean): Shape | undefined {
  const position = positions.sets.push(chars) - 1
  if (position >= maxPositions) return undefined
  positions.next.push([])
  if (inLoop) positions.loops.add(position)
  return { nullable: false, first: [position], last: [position], sure: [position], freely: true }
}

function sequence(makers: readonly (() => Shape | undefined)[], positions: Positions): Shape | undefined {
  let all = nothing
  for (const make of makers) {
    const shape = make()
    if (shape === undefined || !link(all.last, shape.first, positions)) return undefined
    all = {
      nullable: all.nullable && shape.nullable,
      first: all.nullable ? [...all.first, ...shape.first] : all.first,
      last: shape.nullable ? [...all.last, ...shape.last] : shape.last,
      sure: shape.nullable && shape.freely ? [...all.sure, ...shape.sure] : shape.sure,
      freely: all.freely && shape.freely
    }
  }
  return all
}

function choice(branches: readonly Node[], positions: Positions, inLoop: boolean): Shape | undefined {
  const shapes: Shape[] = []
  for (const branch of branches) {
    const shape = shapeOf(branch, positions, inLoop)
    if (shape === undefined) return undefined
    shapes.push(shape)
  }
  const empty = shapes.filter(({ nullable }) => nullable).length
  if (empty > 1) return undefined
  return {
    nullable: empty === 1,
    first: shapes.flatMap(({ first }) => first),
    last: shapes.flatMap(({ last }) => last),
    sure: shapes.flatMap(({ sure }) => sure),
    freely: shapes.every(({ nullable, freely }) => !nullable || freely)
  }
}

/** A body that can match nothing has no shape: engines differ in what its groups are then. */
function repeat(node: Node & { kind: 'repeat' }, positions: Positions, inLoop: boolean): Shape | undefined {
  const { body, min, max } = node
  const open = max === Number.POSITIVE_INFINITY
  const copies = open ? Math.max(min, 1) : max
  if (copies === 0 || copies > maxPositions) return undefined
  const many = max > 1
  const shapes: Shape[] = []
  for (let i = 0; i < copies; i++) {
    const loops = open && i === copies - 1
    // `many` forbids groups; only the copy that comes around again counts as a loop.
    const shape = many ? withoutGroups(body, positions, inLoop || loops) : shapeOf(body, positions, inLoop)
    if (shape === undefined || shape.nullable) return undefined
    if (loops && !link(shape.last, shape.first, positions)) return undefined
    shapes.push(shape)
  }
  return nested(shapes, min, positions)
}

/** `x{1,3}` as `x(x(x)?)?`: one way to leave after each copy. */
function nested(shapes: readonly Shape[], min: number, positions: Positions): Shape | undefined {
  let rest: Shape | undefined = nothing
  for (let i = shapes.length - 1; i >= 0; i--) {
    const shape = shapes[i]!
    const after: Shape = rest
    rest = sequence([() => shape, () => after], positions)
    if (rest === undefined) return undefined
    if (i >= min) rest = { ...rest, nullable: true, freely: true }
  }
  return rest
}

function withoutGroups(body: Node, positions: Positions, inLoop: boolean): Shape | undefined {
  return hasGroup(body) ? undefined : shapeOf(body, positions, inLoop)
}

function link(from: readonly number[], to: readonly number[], positions: Positions): boolean {
  positions.edges += from.length * to.length
  if (positions.edges > maxEdges) return false
  for (const position of from) positions.next[position]!.push(...to)
  return true
}
