// Texts without which an expression cannot match: looking for them first spares most runs of many expressions over one text.
import { parseTree } from './parse.ts'
import type { CharSet, Node } from './tree.ts'

/** Alternatives that are kept. */
const maxTexts = 256
/** Alternatives that are made by putting texts behind each other. */
const maxProducts = 32
/** Characters of a set that are written out. */
const maxChars = 4
/** Sets of alternatives that are kept; the best ones. */
const maxSets = 4

/** Texts of which at least one is there. */
type Alternatives = readonly string[]

interface Found {
  /** All texts the node matches, in lower case; undefined where they are too many. */
  readonly exact?: Alternatives
  /** In everything the node matches is one text of each. */
  readonly required: readonly Alternatives[]
}

/**
 * Sets of texts: every text that the expression matches in contains one of each set, once it is in lower case and has `s` for `ſ`. None
 * where nothing is known. `source` and `flags` as `compileRegex` takes them.
 */
export function requiredTexts(source: string, flags = ''): readonly (readonly string[])[] {
  const tree = readAscii(flags === '' ? source : `(?${flags})${source}`)
  return tree === undefined ? [] : setsOf(find(tree, true))
}

/** A text that everything the expression matches in contains as it is, the longest that is known; undefined where none is. */
export function requiredText(source: string): string | undefined {
  const tree = readAscii(source)
  const sets = tree === undefined ? [] : setsOf(find(tree, false))
  return sets.find(texts => texts.length === 1)?.[0]
}

/** The tree sees sets of ASCII characters only; here a set may have others beside the ones it shows. */
function readAscii(source: string): Node | undefined {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: every character of ASCII but the last, by which a set that excludes is known
  const isPlain = /^[\x00-\x7e]*$/.test(source) && !/\\[pPxC\d]/.test(source)
  return isPlain && !(source.includes('[^') && source.includes('[:')) ? parseTree(source) : undefined
}

/** Of a set that excludes characters, which holds all that are not ASCII. */
const lastAscii = 1n << 127n

/** `folded`: texts are in lower case. */
function find(node: Node, folded: boolean): Found {
  const inner = (part: Node) => find(part, folded)
  switch (node.kind) {
    case 'empty':
    case 'assertion':
      return { exact: [''], required: [] }
    case 'set':
      return findSet(node.chars, folded)
    case 'group':
      return inner(node.body)
    case 'choice':
      return findChoice(node.branches.map(inner))
    case 'sequence':
      return findSequence(node.parts.map(inner))
    case 'repeat':
      return findRepeat(inner(node.body), node.min, node.max)
  }
}

function findSet(chars: CharSet, folded: boolean): Found {
  if ((chars & lastAscii) !== 0n) return { required: [] }
  const texts = new Set<string>()
  for (let rest = chars; rest !== 0n; rest &= rest - 1n) {
    const lowest = rest & -rest
    const char = String.fromCharCode(lowest.toString(2).length - 1)
    texts.add(folded ? char.toLowerCase() : char)
    if (texts.size > maxChars) return { required: [] }
  }
  return texts.size === 0 ? { required: [] } : { exact: [...texts], required: [] }
}

function findChoice(branches: readonly Found[]): Found {
  const exact = union(branches.map(branch => branch.exact))
  // One set that each branch has one of its own for.
  const best = union(branches.map(branch => setsOf(branch)[0]))
  return { ...(exact && { exact }), required: best === undefined ? [] : [best] }
}

function findRepeat(body: Found, min: number, max: number): Found {
  const required = min === 0 ? [] : setsOf(body)
  if (body.exact === undefined || max > 3) return { required }
  let power: Alternatives | undefined = ['']
  const powers: (Alternatives | undefined)[] = []
  for (let times = 0; times <= max; times++) {
    if (times >= min) powers.push(power)
    power = power && product(power, body.exact)
  }
  const exact = union(powers)
  return { ...(exact && { exact }), required }
}

function findSequence(parts: readonly Found[]): Found {
  const required: Alternatives[] = []
  let joined: Alternatives = ['']
  let whole = true
  for (const part of parts) {
    const longer: Alternatives | undefined = part.exact && product(joined, part.exact)
    if (longer === undefined) {
      whole = false
      required.push(joined, ...part.required)
    }
    joined = longer ?? part.exact ?? ['']
  }
  return whole ? { exact: joined, required } : { required: bestSets([...required, joined]) }
}

function union(sets: readonly (Alternatives | undefined)[]): Alternatives | undefined {
  if (sets.includes(undefined)) return undefined
  const texts = [...new Set((sets as readonly Alternatives[]).flat())]
  return texts.length > maxTexts ? undefined : texts
}

function product(before: Alternatives, after: Alternatives): Alternatives | undefined {
  if (before.length * after.length > maxProducts) return undefined
  if (after.length === 1 && before.length === 1) return [before[0]! + after[0]!]
  return [...new Set(before.flatMap(start => after.map(end => start + end)))]
}

/** What a node needs, the sets that rule out most first. */
function setsOf({ exact, required }: Found): readonly Alternatives[] {
  return bestSets(exact === undefined ? required : [exact, ...required])
}

/** Long texts rule out more, then few. */
function bestSets(sets: readonly Alternatives[]): readonly Alternatives[] {
  const rated = sets.map(texts => ({ texts, shortest: Math.min(...texts.map(text => text.length)) }))
  return rated
    .filter(({ shortest }) => shortest > 0)
    .sort((a, b) => b.shortest - a.shortest || a.texts.length - b.texts.length)
    .slice(0, maxSets)
    .map(({ texts }) => texts)
}
