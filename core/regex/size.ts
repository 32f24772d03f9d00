// The size of an expression's automaton: a counted repetition is expanded to copies, so a short text may need millions of steps.

/** Steps that repetitions may add; more would take seconds and gigabytes to compile. */
const maxRepeated = 20_000

/** Why an expression is too large; undefined if it is not. */
export function sizeProblem(source: string): string | undefined {
  if (!source.includes('{')) return undefined
  const size = sizeOf(source)
  const max = maxRepeated + source.length
  return size > max ? `its repetitions make it ${size} steps long, at most ${max} are taken` : undefined
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
