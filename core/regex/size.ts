// The size of an expression's automaton: a counted repetition is expanded to copies, so a short text may need millions of steps.

/** Steps that repetitions may add; more would take seconds and gigabytes to compile. */
const maxRepeated = 20_000

/** Characters of an expression: compiling more holds the event loop. */
const maxLength = 32_768
/** Classes of Unicode such as `\p{L}`: each is compiled to hundreds of ranges. */
const maxUnicodeClasses = 500

/** Why an expression is too large; undefined if it is not. */
export function sizeProblem(source: string): string | undefined {
  if (source.length > maxLength) return `it has ${source.length} characters, at most ${maxLength} are taken`
  const classes = countClasses(source)
  if (classes > maxUnicodeClasses)
    return `it has ${classes} classes of Unicode (\\p), at most ${maxUnicodeClasses} are taken`
  if (!source.includes('{')) return undefined
  const size = sizeOf(source)
  const max = maxRepeated + source.length
  return size > max ? `its repetitions make it ${size} steps long, at most ${max} are taken` : undefined
}

/** Characters that a class of Unicode counts for beyond its own. */
export const classLength = 50

/**
 * The work of compiling an expression, told as the length of a plain one that takes as long: its characters, or its steps where repetitions
 * make more, and those that stand for each class of Unicode.
 */
export function compileLength(source: string): number {
  const steps = source.includes('{') ? sizeOf(source) : 0
  return Math.max(source.length, steps) + classLength * countClasses(source)
}

function countClasses(source: string): number {
  return countOf(source, '\\p') + countOf(source, '\\P')
}

function countOf(text: string, part: string): number {
  let count = 0
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + part.length)) count++
  return count
}

/**
 * Whether a bracket closes that none opened before: such an expression would be valid only within an added group. The expression may be invalid
 * otherwise.
 */
export function closesMore(source: string): boolean {
  let open = 0
  for (let at = 0; at < source.length; ) {
    const rule = source[at] === '\\' ? escaped : source[at] === '[' ? set : undefined
    if (rule !== undefined) rule.lastIndex = at
    const length = rule?.exec(source)?.[0].length ?? 1
    if (length === 1 && source[at] === '(') open++
    else if (length === 1 && source[at] === ')' && --open < 0) return true
    at += length
  }
  return false
}

/** A counted repetition in braces. */
const counted = /\{(\d{1,9})(?:,(\d{0,9}))?\}/y
/** An escape: one character, a class, a code point, or quoted text. */
const escaped = /\\(?:Q(?:(?!\\E)[\s\S])*(?:\\E)?|[pPx]\{[^}]*\}|[\s\S]|$)/y
/** A class of characters; the first may be the bracket that would end it. */
const set = /\[\^?\]?(?:\[:\^?\w*:\]|\\[\s\S]|[^\]\\])*\]?/y

/** Approximate number of steps of a valid RE2 expression. */
function sizeOf(source: string): number {
  /** Sizes of the open groups, the innermost last. */
  const sizes = [0]
  /** Size of the last element, which a repetition multiplies. */
  let last = 0
  const add = (size: number) => {
    sizes[sizes.length - 1]! += size
    last = size
  }
  for (let at = 0; at < source.length; ) {
    const rule = source[at] === '\\' ? escaped : source[at] === '[' ? set : source[at] === '{' ? counted : undefined
    if (rule !== undefined) rule.lastIndex = at
    const match = rule?.exec(source)
    at += match?.[0].length ?? 1
    if (rule === counted && match) {
      const [, low, high] = match
      const times = Number(high || low) + (high === '' ? 1 : 0)
      sizes[sizes.length - 1]! += last * times - last
      last *= times
    } else if (match) add(match[0].length > 2 && rule === escaped ? match[0].length : 1)
    else if (source[at - 1] === '(') sizes.push(0)
    else if (source[at - 1] === ')' && sizes.length > 1) add(sizes.pop()! + 2)
    else if (!'*+?'.includes(source[at - 1]!)) add(1)
  }
  return sizes.reduce((sum, size) => sum + size, 0)
}
