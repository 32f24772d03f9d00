// Where in a text an error of the server is.

export interface Place {
  readonly from: number
  readonly to: number
}

/** By line and column where the message says them, else by the name it says, where that stands only once. */
export function placeOf(message: string, text: string): Place | undefined {
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
function wordAt(text: string, from: number): Place | undefined {
  if (from >= text.length) return text.length === 0 ? undefined : { from: text.length - 1, to: text.length }
  const length = /^\w+/.exec(text.slice(from))?.[0].length ?? 1
  return { from, to: from + length }
}
