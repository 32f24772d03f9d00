// Texts in quotes, where a backslash takes the meaning of what follows it.

/** Where a text in quotes ends: `at` is its opening quote. Behind its closing quote, or undefined when there is none. */
export function quotedEnd(text: string, at: number): number | undefined {
  let end = at + 1
  while (end < text.length && text[end] !== text[at]) end += text[end] === '\\' ? 2 : 1
  return end < text.length ? end + 1 : undefined
}
