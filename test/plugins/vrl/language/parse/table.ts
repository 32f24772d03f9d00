// Runs tables of calls with their expected results, for tests of parsers.
import t from 'tap'
import { compile, printDiagnostics, readJsonValue, writeValue } from '../../../../../plugins/vrl/language/index.ts'

/** JSON of the result, the message of a failure, or what the compiler says. */
export function run(source: string, event = '{}'): string {
  const { program, diagnostics } = compile(source)
  if (program === undefined) return printDiagnostics(source, diagnostics)
  const outcome = program.run(readJsonValue(event))
  return outcome.ok ? writeValue(outcome.value) : outcome.message
}

export type Row = readonly [text: string, result: string | RegExp]

/** Calls with `.t` for the text: each results in this JSON, or fails with a message like this. */
export function table(name: string, call: string, rows: readonly Row[]): void {
  t.test(name, async t => {
    for (const [text, result] of rows) t.match(run(call, JSON.stringify({ t: text })), exact(result), text.slice(0, 80))
  })
}

function exact(result: string | RegExp): RegExp {
  return typeof result === 'string' ? new RegExp(`^${result.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&')}$`) : result
}
