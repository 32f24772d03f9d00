// What the language has and the grammar lacks: such places are written as something the grammar takes, at the same offsets.

/** Texts and comments; a number that ends with its point; durations, where `min_of` and `max_of` are known; the two as functions. */
const pieces =
  /("(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|`[^`]*`|#[^\n]*)|(?<![\w.:])(\d+)\.(?![\w.])|(\boffset\b\s*[+-]?\s*(?:min_of|max_of)?\s*\(?|[[\]()])|(?<![\w:.])(min_of|max_of)(?=\s*\()/gi

/** A function of the same length. */
const standIn = 'minute'

/** With the same length, so that positions stay. */
export function fillGaps(text: string): string {
  // Within brackets, and within the parentheses of an offset, stands a duration.
  const open: boolean[] = []
  return text.replace(pieces, (all, kept, digits, mark: string | undefined) => {
    if (kept !== undefined) return all
    if (digits !== undefined) return `${digits} `
    const inDuration = open.at(-1) ?? false
    if (mark === undefined) return inDuration ? all : standIn
    if (mark === '[' || mark === '(') open.push(mark === '[' || inDuration)
    else if (mark === ']' || mark === ')') open.pop()
    else if (mark.endsWith('(')) open.push(true)
    return all
  })
}
