// Texts that every match of an expression contains; searching for them first avoids most runs of many expressions on one text.
import { parseTree } from './parse.ts'
import type { CharSet, Node } from './tree.ts'

/** Maximum alternatives of a set. */
const maxTexts = 256
/** Maximum alternatives made by concatenation. */
const maxProducts = 32
/** Character sets of up to this size are expanded. */
const maxChars = 4
/** Maximum sets that are kept, the best ones. */
const maxSets = 4

/** Texts of which at least one occurs. */
type Alternatives = readonly string[]

interface Found {
  /** All texts the node matches, in lower case; undefined if there are too many. */
  readonly exact?: Alternatives
  /** Each match contains one text of each set. */
  readonly required: readonly Alternatives[]
}

/**
 * Sets of texts, at least one of which every matching text contains, after it was converted to lower case and `ſ` to `s`. Empty if nothing is
 * known. `source` and `flags` are those of `compileRegex`.
 */
export function requiredTexts(source: string, flags = ''): readonly (readonly string[])[] {
  const tree = readAscii(flags === '' ? source : `(?${flags})${source}`)
  return tree === undefined ? [] : setsOf(find(tree, true))
}

/** The longest known text that every match contains literally; undefined if none is known. `source` is in RE2 syntax. */
export function requiredText(source: string): string | undefined {
  const tree = readAscii(source)
  const sets = tree === undefined ? [] : setsOf(find(tree, false))
  return sets.find(texts => texts.length === 1)?.[0]
}

/** Parsed sets contain ASCII only; here they are marked if they include other characters. */
function readAscii(source: string): Node | undefined {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: every character of ASCII but the last, by which a set that excludes is known
  const isPlain = /^[\x00-\x7e]*$/.test(source) && !/\\[pPxC\d]/.test(source)
  return isPlain && !(source.includes('[^') && source.includes('[:')) ? parseTree(source) : undefined
}

/** Marks a negated set, which includes all characters beyond ASCII. */
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
  // A combined set with one set of each branch.
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

/** The sets a match needs, the most selective first. */
function setsOf({ exact, required }: Found): readonly Alternatives[] {
  return bestSets(exact === undefined ? required : [exact, ...required])
}

/** Long texts are more selective; of equally long ones, fewer. */
function bestSets(sets: readonly Alternatives[]): readonly Alternatives[] {
  const rated = sets.map(texts => ({ texts, shortest: Math.min(...texts.map(text => text.length)) }))
  return rated
    .filter(({ shortest }) => shortest > 0)
    .sort((a, b) => b.shortest - a.shortest || a.texts.length - b.texts.length)
    .slice(0, maxSets)
    .map(({ texts }) => texts)
}
