// Clusters log lines: templates that differ in few words become one pattern, as in Drain (He et al., 2017).

/** Lines that are equal except for words with digits, which are `<*>` in `template`. */
export interface TemplateLines {
  readonly template: string
  readonly count: number
  /** Times of the first and last line, in any unit. */
  readonly first: bigint
  readonly last: bigint
  /** One of the lines. */
  readonly example: string
  /** Some lines are longer than the part that was used. */
  readonly isCut: boolean
}

export interface Pattern {
  readonly words: readonly string[]
  /** What separates the words: one entry less than words; the first and last word may be empty. */
  readonly gaps: readonly string[]
  readonly count: number
  readonly first: bigint
  readonly last: bigint
  readonly examples: readonly string[]
  /** Lines are longer than the words. */
  readonly isCut: boolean
}

export const wildcard = '<*>'

/** Characters that separate words, as the inside of a character class. */
export const partsWords = String.raw`\s,;="'(){}\[\]|&`

/** Share of a pattern's words that a line must have as well. */
const likeness = 0.5
/** Patterns a line is compared with; further lines with the same gaps and first word join one of them. */
const maxCompared = 64
/** Examples kept per pattern, of different templates. */
const maxExamples = 3
/** Words used of a line. */
const maxWords = 64

const gap = new RegExp(`([${partsWords}]+)`)

interface Growing {
  words: string[]
  readonly gaps: readonly string[]
  count: number
  first: bigint
  last: bigint
  readonly examples: string[]
  isCut: boolean
}

type Parts = Pick<Growing, 'words' | 'gaps' | 'isCut'>

/** The patterns found so far, keyed by what lines must share. Add frequent templates first, because the first ones define the patterns. */
export class Patterns {
  readonly #groups = new Map<string, Growing[]>()

  /** One step, which compares at most `maxCompared` × `maxWords` words. */
  add(lines: TemplateLines): void {
    const parts = splitWords(lines)
    const group = this.#groupOf(parts)
    const found = closest(group, parts.words)
    if (found === undefined) group.push(begin(parts, lines))
    else join(found, parts, lines)
  }

  /** Most frequent first. */
  list(): Pattern[] {
    return [...this.#groups.values()].flat().sort((a, b) => b.count - a.count)
  }

  #groupOf({ words, gaps }: Parts): Growing[] {
    const key = `${keyWord(words)}\0${gaps.join('\0')}`
    const found = this.#groups.get(key)
    if (found !== undefined) return found
    const group: Growing[] = []
    this.#groups.set(key, group)
    return group
  }
}

/** The first word is the best key for a line, unless it is variable. */
function keyWord(words: readonly string[]): string {
  const first = words.find(word => word !== '') ?? ''
  return first.includes(wildcard) ? wildcard : first
}

function splitWords({ template, isCut }: TemplateLines): Parts {
  const parts = template.split(gap)
  const words = parts.filter((_, i) => i % 2 === 0).slice(0, maxWords)
  const gaps = parts.filter((_, i) => i % 2 === 1).slice(0, words.length - 1)
  return { words, gaps, isCut: isCut || parts.length > words.length + gaps.length }
}

function closest(group: readonly Growing[], words: readonly string[]): Growing | undefined {
  let best: Growing | undefined
  let max = group.length < maxCompared ? likeness : 0
  for (const each of group) {
    const shared = sharedPart(each.words, words)
    if (shared < max || (best !== undefined && shared === max)) continue
    best = each
    max = shared
  }
  return best
}

/** The share of the pattern's constant words that a line has. */
function sharedPart(pattern: readonly string[], words: readonly string[]): number {
  let same = 0
  let fixed = 0
  for (let i = 0; i < pattern.length; i++) {
    if (pattern[i] === wildcard || pattern[i] === '') continue
    fixed++
    if (pattern[i] === words[i]) same++
  }
  return fixed === 0 ? 1 : same / fixed
}

function begin(parts: Parts, { count, first, last, example }: TemplateLines): Growing {
  return { ...parts, count, first, last, examples: [example] }
}

function join(pattern: Growing, { words, isCut }: Parts, lines: TemplateLines): void {
  const { count, first, last, example } = lines
  for (let i = 0; i < words.length; i++) if (pattern.words[i] !== words[i]) pattern.words[i] = wildcard
  pattern.count += count
  if (first < pattern.first) pattern.first = first
  if (last > pattern.last) pattern.last = last
  if (isCut) pattern.isCut = true
  if (pattern.examples.length < maxExamples) pattern.examples.push(example)
}
