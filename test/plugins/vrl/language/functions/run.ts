// Runs programs for the tests of functions.
import { compile, printDiagnostics, readJsonValue, writeValue } from '../../../../../plugins/vrl/language/index.ts'

/** The result as JSON, the message of the failure, or the diagnostics. */
export function run(source: string, event = '{}', limits = {}): string {
  const { program, diagnostics } = compile(source, { limits })
  if (program === undefined) return printDiagnostics(source, diagnostics)
  const outcome = program.run(readJsonValue(event))
  return outcome.ok ? writeValue(outcome.value) : outcome.message
}
