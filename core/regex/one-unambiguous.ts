// Proves of an expression that trying its ways one after the other takes linear time, so that the runtime's own engine may run it.
//
// Every set of characters in the tree is a position. When after each position the next character alone says which position comes next, and
// there is only one way to it, a wrong turn ends at the next character: an attempt costs no more than its length times the number
// of positions. An expression that is not bound to the start of the text is attempted at many starts. When no character that can
// start a match can be taken by a loop, at most as many attempts as there are positions run through the same character. A loop that
// may be the end of a match does not count: an attempt that gets there succeeds, and the next one starts behind it.
import { type CharSet, hasGroup, type Node } from './tree.ts'

/** Larger expressions are not analysed. */
const maxPositions = 600
const maxUnboundPositions = 100
const maxEdges = 20_000

interface Positions {
  readonly sets: CharSet[]
  readonly next: number[][]
  readonly loops: Set<number>
  edges: number
}

/** Sets of the Glushkov construction for one node: positions that a match may begin and end with. */
interface NodeFacts {
  /** Matches the empty text. */
  readonly nullable: boolean
  readonly first: readonly number[]
  readonly last: readonly number[]
  /** Positions in `last` without an assertion behind them. */
  readonly sure: readonly number[]
  /** Whether the empty match needs no assertion. */
  readonly freely: boolean
}

const nothing: NodeFacts = { nullable: true, first: [], last: [], sure: [], freely: true }

/** Facts about a one-unambiguous expression. */
interface OneUnambiguous {
  /** Every match has at least one character. */
  readonly takesSome: boolean
}

/** Undefined unless linear time is certain, and groups have the same meaning in both engines. */
export function oneUnambiguous(root: Node): OneUnambiguous | undefined {
  const positions: Positions = { sets: [], next: [], loops: new Set(), edges: 0 }
  const facts = factsOf(root, positions, false)
  if (facts === undefined) return undefined
  if (!differ(facts.first, positions.sets) || !positions.next.every(next => differ(next, positions.sets)))
    return undefined
  const found = { takesSome: !facts.nullable }
  if (startsWithText(root)) return found
  const starts = facts.first.reduce((all, position) => all | positions.sets[position]!, 0n)
  const sure = new Set(facts.sure)
  const restarts = [...positions.loops].some(
    position => !sure.has(position) && (starts & positions.sets[position]!) !== 0n
  )
  return !facts.nullable && positions.sets.length <= maxUnboundPositions && !restarts ? found : undefined
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

/** Undefined if the empty text can be matched in several ways, or a group is in a loop. */
function factsOf(node: Node, positions: Positions, inLoop: boolean): NodeFacts | undefined {
  switch (node.kind) {
    case 'empty':
      return nothing
    case 'assertion':
      return { ...nothing, freely: false }
    case 'set':
      return addPosition(node.chars, positions, inLoop)
    case 'group':
      return inLoop ? undefined : factsOf(node.body, positions, inLoop)
    case 'sequence':
      return sequence(
        node.parts.map(part => () => factsOf(part, positions, inLoop)),
        positions
      )
    case 'choice':
      return choice(node.branches, positions, inLoop)
    case 'repeat':
      return repeat(node, positions, inLoop)
  }
}

function addPosition(chars: CharSet, positions: Positions, inLoop: boolean): NodeFacts | undefined {
  const position = positions.sets.push(chars) - 1
  if (position >= maxPositions) return undefined
  positions.next.push([])
  if (inLoop) positions.loops.add(position)
  return { nullable: false, first: [position], last: [position], sure: [position], freely: true }
}

function sequence(makers: readonly (() => NodeFacts | undefined)[], positions: Positions): NodeFacts | undefined {
  let all = nothing
  for (const make of makers) {
    const facts = make()
    if (facts === undefined || !link(all.last, facts.first, positions)) return undefined
    all = {
      nullable: all.nullable && facts.nullable,
      first: all.nullable ? [...all.first, ...facts.first] : all.first,
      last: facts.nullable ? [...all.last, ...facts.last] : facts.last,
      sure: facts.nullable && facts.freely ? [...all.sure, ...facts.sure] : facts.sure,
      freely: all.freely && facts.freely
    }
  }
  return all
}

function choice(branches: readonly Node[], positions: Positions, inLoop: boolean): NodeFacts | undefined {
  const allFacts: NodeFacts[] = []
  for (const branch of branches) {
    const facts = factsOf(branch, positions, inLoop)
    if (facts === undefined) return undefined
    allFacts.push(facts)
  }
  const empty = allFacts.filter(({ nullable }) => nullable).length
  if (empty > 1) return undefined
  return {
    nullable: empty === 1,
    first: allFacts.flatMap(({ first }) => first),
    last: allFacts.flatMap(({ last }) => last),
    sure: allFacts.flatMap(({ sure }) => sure),
    freely: allFacts.every(({ nullable, freely }) => !nullable || freely)
  }
}

/** Undefined if the body can be empty, because engines differ about its groups then. */
function repeat(node: Node & { kind: 'repeat' }, positions: Positions, inLoop: boolean): NodeFacts | undefined {
  const { body, min, max } = node
  const open = max === Number.POSITIVE_INFINITY
  const copies = open ? Math.max(min, 1) : max
  if (copies === 0 || copies > maxPositions) return undefined
  const many = max > 1
  const allFacts: NodeFacts[] = []
  for (let i = 0; i < copies; i++) {
    const loops = open && i === copies - 1
    // `many` forbids groups; only the repeated copy counts as a loop.
    const facts = many ? withoutGroups(body, positions, inLoop || loops) : factsOf(body, positions, inLoop)
    if (facts === undefined || facts.nullable) return undefined
    if (loops && !link(facts.last, facts.first, positions)) return undefined
    allFacts.push(facts)
  }
  return nested(allFacts, min, positions)
}

/** `x{1,3}` as `x(x(x)?)?`: one way to leave after each copy. */
function nested(allFacts: readonly NodeFacts[], min: number, positions: Positions): NodeFacts | undefined {
  let rest: NodeFacts | undefined = nothing
  for (let i = allFacts.length - 1; i >= 0; i--) {
    const facts = allFacts[i]!
    const after: NodeFacts = rest
    rest = sequence([() => facts, () => after], positions)
    if (rest === undefined) return undefined
    if (i >= min) rest = { ...rest, nullable: true, freely: true }
  }
  return rest
}

function withoutGroups(body: Node, positions: Positions, inLoop: boolean): NodeFacts | undefined {
  return hasGroup(body) ? undefined : factsOf(body, positions, inLoop)
}

function link(from: readonly number[], to: readonly number[], positions: Positions): boolean {
  positions.edges += from.length * to.length
  if (positions.edges > maxEdges) return false
  for (const position of from) positions.next[position]!.push(...to)
  return true
}
