// The part of a query that an error of the server is about.

interface TextRange {
  readonly from: number
  readonly to: number
}

/** Found by the line and column in the message, else by the name in it if the text contains that once. */
export function errorRange(message: string, text: string): TextRange | undefined {
  const [, line, column] =
    /line (\d+),? column (\d+)/i.exec(message) ?? /\b(\d+):(\d+): parse error/.exec(message) ?? []
  if (line !== undefined) return wordAt(text, offsetOf(text, Number(line), Number(column)))
  const name =
    /No field named "?([^\s".]+)/.exec(message)?.[1] ??
    /Table not found: (?:[^\s.]+\.)*([^\s.]+)/.exec(message)?.[1] ??
    /keyword: (\w+)/.exec(message)?.[1] ??
    /(?:near|at) "?(\w+)"?/.exec(message)?.[1]
  if (name === undefined) return undefined
  const pattern = new RegExp(`(?<![\\w])${name.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')}(?![\\w])`, 'gi')
  const found = [...text.matchAll(pattern)]
  return found.length === 1 ? { from: found[0]!.index, to: found[0]!.index + name.length } : undefined
}

function offsetOf(text: string, line: number, column: number): number {
  const before = text.split('\n').slice(0, line - 1)
  return before.reduce((sum, each) => sum + each.length + 1, 0) + column - 1
}

/** The word that stands there, at least one character. */
function wordAt(text: string, from: number): TextRange | undefined {
  if (from >= text.length) return text.length === 0 ? undefined : { from: text.length - 1, to: text.length }
  const length = /^\w+/.exec(text.slice(from))?.[0].length ?? 1
  return { from, to: from + length }
}
