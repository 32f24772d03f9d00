// From locations the grammar reports to tokens. It imports nothing: the grammar's thread loads it, too.

/** Offsets of locations the grammar reports: lines and characters (not UTF-16 units) from 1. Strings may hold line breaks. */
export function locator(text: string): (line: number, column: number) => number {
  if (/^[\x20-\x7e]*$/.test(text)) return (_line, column) => column - 1
  const lines = text.split('\n')
  const lineStarts: number[] = []
  let start = 0
  const maps = lines.map(line => {
    lineStarts.push(start)
    start += line.length + 1
    return characterStarts(line)
  })
  return (line, column) => lineStarts[line - 1]! + (maps[line - 1]![column - 1] ?? lines[line - 1]!.length)
}

function characterStarts(line: string): number[] {
  const starts: number[] = []
  for (let at = 0; at < line.length; at += line.codePointAt(at)! > 0xffff ? 2 : 1) starts.push(at)
  return starts
}

/** Index of the token that covers an offset of the text in which the tokens have these `starts`. */
export function tokenAt(starts: readonly number[], offset: number): number {
  let low = 0
  let high = starts.length - 1
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if (starts[middle]! <= offset) low = middle
    else high = middle - 1
  }
  return low
}
