// The SQL grammar in a thread of its own: some statements take it exponential time, and then the thread is ended.
// Nothing else imports the library.
import { parentPort } from 'node:worker_threads'
import { DuckDbDialect, format, init, Parser } from '@guanmingchiu/sqlparser-ts'

export interface GrammarTask {
  readonly kind: 'parse' | 'format'
  readonly text: string
}

/** The tree or text as JSON, which is read in a third of the time that a copy of the tree takes; or why there is none. After `broken` the thread must not be used again. */
export type GrammarAnswer = { readonly result: string } | { readonly error: string } | { readonly broken: string }

/** Levels of recursion the grammar allows itself. */
const deepest = 100

await init()
parentPort?.on('message', (task: GrammarTask) => parentPort?.postMessage(answer(task)))

function answer({ kind, text }: GrammarTask): GrammarAnswer {
  try {
    if (kind === 'format') return { result: JSON.stringify(format(text, 'duckdb')) }
    return { result: JSON.stringify(new Parser(new DuckDbDialect()).withRecursionLimit(deepest).parse(text), keepKind) }
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    const broken =
      error instanceof WebAssembly.RuntimeError ||
      error instanceof RangeError ||
      /unreachable|out of bounds/.test(message)
    return broken ? { broken: message } : { error: message }
  }
}

/** A kind that says nothing more, `{ Datetime: undefined }`: JSON would leave it out. */
function keepKind(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  const [entry, ...more] = Object.entries(value)
  return entry !== undefined && more.length === 0 && entry[1] === undefined ? { [entry[0]]: null } : value
}
