// Whether a statement reads, by its beginning: to prepare one may have effects already (EXPORT DATABASE makes its folder).

const readingWords = /^(?:select|from|with|values|table|describe|desc|show|summarize|pivot|unpivot)\b/i

/** Whether it starts as a statement that reads, or explains one, or is empty. */
export function startsReading(text: string): boolean {
  const inner = explained(text)
  return inner.length === 0 ? startsWithReadingWord(text) : inner.some(startsWithReadingWord)
}

function startsWithReadingWord(text: string): boolean {
  let at = skip(text, 0)
  while (text[at] === '(') at = skip(text, at + 1)
  return at === text.length || readingWords.test(text.slice(at, at + 16))
}

/** Texts of which one is the statement behind EXPLAIN, which runs with ANALYZE whatever it does; none where `text` does not start with it. */
export function explained(text: string): string[] {
  const word = skip(text, 0)
  if (!/^explain\b/i.test(text.slice(word, word + 8))) return []
  let at = skip(text, word + 'explain'.length)
  const analyze = /^analy[sz]e\b/i.exec(text.slice(at, at + 8))?.[0]
  if (analyze !== undefined) at = skip(text, at + analyze.length)
  if (text[at] !== '(') return [text.slice(at)]
  // Either options in parentheses, or a SELECT in parentheses.
  const end = text.indexOf(')', at)
  return end < 0 ? [text.slice(at)] : [text.slice(at), text.slice(skip(text, end + 1))]
}

/** Where something else than space and comments begins; comments nest. */
function skip(text: string, from: number): number {
  let at = from
  for (;;) {
    const space = /^\s+/.exec(text.slice(at, at + 1024))?.[0].length ?? 0
    at += space
    if (space > 0) continue
    if (text.startsWith('--', at)) {
      const end = text.indexOf('\n', at)
      at = end < 0 ? text.length : end + 1
    } else if (text.startsWith('/*', at)) at = skipComment(text, at)
    else return at
  }
}

function skipComment(text: string, from: number): number {
  const marks = /\/\*|\*\//g
  marks.lastIndex = from
  let depth = 0
  for (let mark = marks.exec(text); mark !== null; mark = marks.exec(text)) {
    depth += mark[0] === '/*' ? 1 : -1
    if (depth === 0) return marks.lastIndex
  }
  return text.length
}
