// Declarations for the parts of a library that we use, because its own types do not compile with our options.
export interface SaxesTag {
  readonly name: string
  readonly attributes: Readonly<Record<string, string>>
}

/** Calls handlers while it reads. What a handler throws comes out of `write` and `close`. */
export class SaxesParser {
  /** From 1. */
  readonly line: number
  /** From 0. */
  readonly column: number
  on(event: 'error', handler: (error: Error) => void): void
  on(event: 'opentag' | 'closetag', handler: (tag: SaxesTag) => void): void
  on(event: 'text' | 'cdata' | 'doctype', handler: (text: string) => void): void
  write(text: string): this
  close(): this
}
