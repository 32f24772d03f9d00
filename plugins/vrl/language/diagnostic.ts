// Compiler messages: codes, titles, positions, and how they are printed.

/** A range of a source text in UTF-16 units, end exclusive. */
export interface Span {
  readonly start: number
  readonly end: number
}

export interface Diagnostic {
  /** The error number of VRL, printed as `E103`. */
  readonly code: number
  readonly severity: 'error' | 'warning'
  readonly title: string
  readonly span: Span
  /** What is wrong at the marked position. */
  readonly label: string
  readonly notes: readonly string[]
}

/** Ends the parsing or checking of one expression; the rest of the program is still checked. */
export class CompileError {
  readonly diagnostic: Diagnostic
  constructor(code: number, title: string, span: Span, label: string, notes: readonly string[] = []) {
    this.diagnostic = { code, severity: 'error', title, span, label, notes }
  }
}

/** Lines and columns count from 1, columns in characters. */
export function position(source: string, offset: number): { readonly line: number; readonly column: number } {
  const before = source.slice(0, offset)
  const start = before.lastIndexOf('\n') + 1
  return { line: before.split('\n').length, column: [...before.slice(start)].length + 1 }
}

/** All diagnostics as text: title, position, the line with carets, label and notes of each. */
export function printDiagnostics(source: string, diagnostics: readonly Diagnostic[]): string {
  return diagnostics.map(diagnostic => print(source, diagnostic)).join('\n\n')
}

function print(source: string, { code, severity, title, span, label, notes }: Diagnostic): string {
  const { line, column } = position(source, span.start)
  const text = source.split('\n')[line - 1] ?? ''
  const lineStart = source.lastIndexOf('\n', span.start - 1) + 1
  const marked = Math.min(span.end, lineStart + text.length) - span.start
  const carets = ' '.repeat(column - 1) + '^'.repeat(Math.max(1, marked))
  const margin = ' '.repeat(String(line).length)
  return [
    `${severity}[E${code}]: ${title}`,
    `${margin} at ${line}:${column}`,
    `${margin} |`,
    `${line} | ${text}`,
    `${margin} | ${carets} ${label}`,
    ...notes.map(note => `${margin} = ${note}`)
  ].join('\n')
}
