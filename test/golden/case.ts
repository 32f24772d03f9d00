// Reads files of SQL cases: statements, a line of four dashes, expected answers.

export interface GoldenCase {
  /** Of the first statement, from 1. */
  readonly line: number
  readonly sql: string
  /** Default `rw`. */
  readonly user: string
  /** Header `x-svc-timezone`. */
  readonly timezone: string | undefined
  /** Rows are compared as a set. */
  readonly sorted: boolean
  /** Parameters of the request: `db`, `format`, `epoch` … */
  readonly parameters: Readonly<Record<string, string>>
  /** Undefined: the case has no `----` yet. */
  readonly expected: readonly string[] | undefined
  /** Lines of the file that hold the expectation with its `----`: from, to (exclusive), from 0. */
  readonly span: readonly [number, number]
}

const separator = '----'

/** Reads a file of cases. Throws Error with the line where it cannot be read. */
export function readCases(text: string): GoldenCase[] {
  const lines = text.split(/\r?\n/)
  const cases: GoldenCase[] = []
  let options: Record<string, string> = {}
  let at = 0
  while (at < lines.length) {
    const line = lines[at]!
    if (line.startsWith('--!')) options = { ...options, ...readOptions(line, at + 1) }
    if (line.trim() === '' || line.startsWith('--')) at++
    else {
      const found = readCase(lines, at, options)
      cases.push(found)
      options = {}
      at = found.span[1]
    }
  }
  return cases
}

function readCase(lines: readonly string[], first: number, options: Record<string, string>): GoldenCase {
  let end = first
  while (end < lines.length && lines[end] !== separator && !isLast(lines, end)) end++
  if (lines[end] !== separator) end++
  const sql = lines.slice(first, end).join('\n')
  if (!sql.endsWith(';'))
    throw new Error(`line ${first + 1}: the statement has no ; at the end of a line before ${separator}`)
  const { user = 'rw', timezone, sorted, ...parameters } = options
  const shared = { line: first + 1, sql, user, timezone, sorted: sorted !== undefined, parameters }
  if (lines[end] !== separator) return { ...shared, expected: undefined, span: [end, end] }
  let last = end + 1
  while (last < lines.length && lines[last] !== '') last++
  return { ...shared, expected: lines.slice(end + 1, last), span: [end, last] }
}

/** Whether a statement without an expected answer ends here: a line that ends with `;`, then an empty one. */
function isLast(lines: readonly string[], at: number): boolean {
  return lines[at]!.endsWith(';') && (lines[at + 1] ?? '') === ''
}

function readOptions(line: string, number: number): Record<string, string> {
  const words = line.slice(3).trim().split(/\s+/)
  return Object.fromEntries(
    words.map(word => {
      const [key = '', value] = word.split(/=(.*)/)
      if (!/^[a-z]+$/.test(key) || (value === undefined && key !== 'sorted')) {
        throw new Error(`line ${number}: expected key=value or sorted, found ${word}`)
      }
      return [key, value ?? '']
    })
  )
}

/** The file with the answers of these cases in the place of what was expected. */
export function writeAnswers(text: string, answers: ReadonlyMap<GoldenCase, readonly string[]>): string {
  const lines = text.split(/\r?\n/)
  for (const [{ span }, answer] of [...answers].reverse()) {
    lines.splice(span[0], span[1] - span[0], separator, ...answer)
  }
  return lines.join('\n')
}
