// The SQL grammar in a thread of its own: some statements take it exponential time, and then the thread is ended.
// Nothing else imports the library.
import { parentPort } from 'node:worker_threads'
import { DuckDbDialect, format, init, Parser } from '@guanmingchiu/sqlparser-ts'
import { locator, tokenAt } from '../text/locate.ts'

export interface GrammarTask {
  /** The tree, the tree with tokens instead of positions, or the text in its canonical form. */
  readonly kind: 'parse' | 'bind' | 'format'
  readonly text: string
  /** Where each token begins in the text, to bind. */
  readonly starts?: readonly number[]
}

/**
 * The tree or text as JSON, which is read in a third of the time that a copy of the tree takes; or what is wrong with the text. After
 * `broken`, anything else that went wrong, the memory of the library may be damaged: the thread must not be used again. `used` is the
 * processor time of the thread so far, in microseconds.
 */
export type GrammarAnswer = ({ readonly result: string } | { readonly error: string } | { readonly broken: string }) & {
  readonly used: number
}

/** Messages of the library about the text, its parser and its tokenizer; it has one class for all errors. */
const isSyntax = /^sql parser error: | at Line: \d+, Column: \d+$/

/** Levels of recursion the grammar allows itself. */
const deepest = 100

await init()
parentPort?.on('message', (task: GrammarTask) => {
  const result = answer(task)
  const { user, system } = process.threadCpuUsage()
  parentPort?.postMessage({ ...result, used: user + system } satisfies GrammarAnswer)
})

function answer({ kind, text, starts = [] }: GrammarTask) {
  try {
    if (kind === 'format') return { result: JSON.stringify(format(text, 'duckdb')) }
    const tree: unknown = new Parser(new DuckDbDialect()).withRecursionLimit(deepest).parse(text)
    const locate = locator(text)
    keepKinds(tree, kind === 'bind' ? (line, column) => tokenAt(starts, locate(line, column)) : undefined)
    return { result: JSON.stringify(tree) }
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    return isSyntax.test(message) ? { error: message } : { broken: message }
  }
}

type Find = (line: number, column: number) => number

interface Span {
  readonly start: { readonly line: number; readonly column: number }
}

/**
 * A kind that says nothing more, `{ Datetime: undefined }`: JSON would leave it out. With `find`, a span becomes the token it begins with:
 * that is all anybody asks for, and half of the tree is spans. What the grammar adds itself has none.
 */
function keepKinds(node: unknown, find: Find | undefined): void {
  if (typeof node !== 'object' || node === null) return
  if (Array.isArray(node)) {
    for (const item of node) keepKinds(item, find)
    return
  }
  const parts = node as Record<string, unknown>
  const keys = Object.keys(parts)
  if (keys.length === 1 && parts[keys[0]!] === undefined) parts[keys[0]!] = null
  for (const key of keys) {
    if (key === 'span' && find !== undefined) {
      const { line, column } = (parts[key] as Span).start
      parts[key] = line === 0 ? null : find(line, column)
    } else keepKinds(parts[key], find)
  }
}
