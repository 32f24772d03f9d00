// Text in quotes, in which a backslash escapes the next character.

interface Quoted {
  readonly quote: string
  /** The text between the quotes, with its backslashes. */
  readonly inner: string
}

/** Reads a text in double or single quotes; undefined if there is none. Throws the error of `broken` if the closing quote is missing. */
export function readQuoted<R extends { readonly text: string; at: number }>(
  reader: R,
  broken: (reader: R, expected: string) => unknown
): Quoted | undefined {
  const { text, at } = reader
  const quote = text[at]
  if (quote !== '"' && quote !== "'") return undefined
  const end = quotedEnd(text, at)
  if (end === undefined) throw broken(reader, 'a text that ends')
  reader.at = end
  return { quote, inner: text.slice(at + 1, end - 1) }
}

/** The offset behind the closing quote; `at` is that of the opening one. Undefined if it is not closed. */
function quotedEnd(text: string, at: number): number | undefined {
  let end = at + 1
  while (end < text.length && text[end] !== text[at]) end += text[end] === '\\' ? 2 : 1
  return end < text.length ? end + 1 : undefined
}
