// Cuts the rows of an answer of /v1/sql into pages while the text arrives, without parsing the values.

interface RowCutter {
  /** Takes the next part of the text behind `"rows":[`; returns what stands behind the rows once they have ended. */
  push(text: string): string | undefined
  /** Rows that have come so far. */
  rows(): number
}

/** `onPage` gets pages of `pageRows` rows, the last one of fewer, as parts of the text of a JSON list. */
export function cutRows(pageRows: number, onPage: (parts: readonly string[], rows: number) => void): RowCutter {
  let [rows, paged, depth, skip] = [0, 0, 0, 0]
  let isText = false
  let parts: string[] = []
  const close = (part: string) => {
    parts.push(part)
    // The comma between two pages.
    const list = parts.join('').replace(/^,/, '')
    if (rows > paged) onPage(['[', list, ']'], rows - paged)
    paged = rows
    parts = []
  }
  return {
    rows: () => rows,
    push(text) {
      let start = 0
      let i = skip
      for (; i < text.length; i++) {
        const code = text.charCodeAt(i)
        if (isText) {
          // The character after a backslash may be in the next part.
          if (code === 0x5c) i++
          else if (code === 0x22) isText = false
        } else if (code === 0x22) isText = true
        else if (code === 0x5b || code === 0x7b) depth++
        else if (code === 0x5d || code === 0x7d) {
          if (depth === 0) {
            close(text.slice(start, i))
            return text.slice(i + 1)
          }
          if (--depth > 0 || ++rows % pageRows !== 0) continue
          close(text.slice(start, i + 1))
          start = i + 1
        }
      }
      skip = i - text.length
      if (start < text.length) parts.push(text.slice(start))
      return undefined
    }
  }
}
