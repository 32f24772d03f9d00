// The SQL grammar in a thread of its own: some statements take it exponential time, and then the thread is ended.
// Nothing else imports the library.
import { parentPort } from 'node:worker_threads'
import { DuckDbDialect, format, init, Parser } from '@guanmingchiu/sqlparser-ts'

export interface GrammarTask {
  readonly kind: 'parse' | 'format'
  readonly text: string
}

/** The tree or text; or why there is none. After `broken` the thread must not be used again. */
export type GrammarAnswer = { readonly result: unknown } | { readonly error: string } | { readonly broken: string }

/** Levels of recursion the grammar allows itself. */
const deepest = 100

await init()
parentPort?.on('message', (task: GrammarTask) => parentPort?.postMessage(answer(task)))

function answer({ kind, text }: GrammarTask): GrammarAnswer {
  try {
    if (kind === 'format') return { result: format(text, 'duckdb') }
    return { result: new Parser(new DuckDbDialect()).withRecursionLimit(deepest).parse(text) }
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    const broken =
      error instanceof WebAssembly.RuntimeError ||
      error instanceof RangeError ||
      /unreachable|out of bounds/.test(message)
    return broken ? { broken: message } : { error: message }
  }
}
