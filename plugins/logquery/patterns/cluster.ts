// Patterns of lines: templates that differ in few words become one, word by word, by the way of Drain (He et al., 2017).

/** Lines that are the same but for what has digits in it: that stands as `<*>` in `template`. */
export interface TemplateLines {
  readonly template: string
  readonly count: number
  /** The time of the first and of the last of them, in any unit. */
  readonly first: bigint
  readonly last: bigint
  /** One of them, as it is. */
  readonly example: string
  /** Some of them go on behind what was looked at. */
  readonly isCut: boolean
}

export interface Pattern {
  readonly words: readonly string[]
  /** What stands between them: one less than there are words, the first and the last of which may be empty. */
  readonly gaps: readonly string[]
  readonly count: number
  readonly first: bigint
  readonly last: bigint
  readonly examples: readonly string[]
  /** Lines go on behind it. */
  readonly isCut: boolean
}

export const wildcard = '<*>'

/** What parts words, as the inside of a class of characters. */
export const partsWords = String.raw`\s,;="'(){}\[\]|&`

/** Part of the words of a pattern that a line must share with it. */
const likeness = 0.5
/** Patterns that a line is compared with; further ones of the same gaps and first word are one. */
const maxCompared = 64
/** Examples of one pattern, of different templates. */
const maxExamples = 3
/** Words of one line that are looked at. */
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

/** Patterns so far, by what lines must share with them. Templates that are added first make the patterns: the most frequent should be. */
export class Patterns {
  readonly #groups = new Map<string, Growing[]>()

  /** A step that compares at most `maxCompared` × `maxWords` words. */
  add(lines: TemplateLines): void {
    const parts = splitWords(lines)
    const group = this.#groupOf(parts)
    const found = closest(group, parts.words)
    if (found === undefined) group.push(begin(parts, lines))
    else join(found, parts, lines)
  }

  /** The most frequent first. */
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

/** The first word tells most of what a line is, unless it changes. */
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

/** Of the words that are the same in all lines of a pattern. */
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
