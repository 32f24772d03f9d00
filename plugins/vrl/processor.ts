// The processor: runs a script on each item, which may become another item, several, or none.

import type { ItemBatch } from '../../core/compute.ts'
import type { ProcessorDefinition, ProcessorHost, ProcessorOptions, WrittenVariables } from '../services.ts'
import { bit, compile, type Kind, type LogSink, mayBe, type Program, printDiagnostics } from './language/index.ts'
import { limitText, type ScriptFailure, type ScriptLimits } from './limits.ts'
import { runScript } from './run.ts'

/** Messages to the main thread: failures of scripts, and their log messages. */
export type ScriptMessage =
  | { readonly failed: ScriptFailure; readonly times: number }
  | { readonly level: Parameters<LogSink>[0]; readonly text: string }

/** UTF-16 units of a message in the log. */
const maxMessage = 4096

export default function createVrl(limits: ScriptLimits, host: ProcessorHost): ProcessorDefinition {
  const send = (message: ScriptMessage) => host.send(message)
  return {
    kind: 'vrl',
    compile(options, path) {
      let logged = 0
      const log: LogSink = (level, message) => {
        if (logged++ < limits.max_logs) send({ level, text: message.slice(0, maxMessage) })
      }
      const program = compileScript(options, limits, host, log)
      return {
        writes: [],
        apply(batch: ItemBatch, written?: WrittenVariables) {
          logged = 0
          const failures = runScript({ program, limits, path, variables: host.variables, written }, batch)
          for (const [failed, times] of failures) send({ failed, times })
        }
      }
    },
    doc
  }
}

function compileScript(options: ProcessorOptions, limits: ScriptLimits, host: ProcessorHost, log: LogSink): Program {
  const source = options.text('source')
  if (source === undefined) throw options.error('source is required')
  const refused = (reason: string) => {
    host.send({ failed: 'compile', times: 1 } satisfies ScriptMessage)
    return options.error(`Failed to compile VRL, ${reason}`)
  }
  const { max_length, max_output, max_time } = limits
  if (source.length > max_length)
    throw refused(
      `source has ${source.length} characters, at most are ${max_length} (${limitText(limits, 'max_length')})`
    )
  const { program, diagnostics } = compile(source, {
    limits: { program: max_length, output: max_output, time: max_time },
    log,
    watched: host.variables
  })
  if (program === undefined) {
    const errors = diagnostics.filter(({ severity }) => severity === 'error')
    throw refused(`\n${printDiagnostics(source, errors)}`)
  }
  if (!mayBe(program.kind, bit.object | bit.array)) throw refused('Vrl script should return object or array in the end')
  if (holdsRegex(program.kind)) throw refused("Please don't use regex in Vrl script: delete fields that hold one")
  return program
}

/** Whether a field is known to hold a regular expression. */
function holdsRegex({ bits, array, object }: Kind): boolean {
  if ((bits & ~bit.undefined) === bit.regex) return true
  return [array, object].some(fields => [...(fields?.known.values() ?? [])].some(holdsRegex))
}

const doc: NonNullable<ProcessorDefinition['doc']> = {
  summary:
    'Runs a script in VRL, a language for events: its [functions](vrl.md), and [how to write one](pipelines.md#scripts). The item is `.`; ' +
    'what the script ends with becomes the item. An array of objects makes as many items, null drops the item. An error that the script does ' +
    'not handle fails the item, and so does `abort`.',
  options: [
    {
      name: 'source',
      type: 'string',
      text: 'The script. What can fail must be handled; otherwise the pipeline is refused, with the position in the script.'
    }
  ],
  example: {
    yaml: 'vrl: { source: \'.level = upcase(string(.level) ?? "info"); .ms = to_int(.ms) ?? 0; .\' }',
    input: '{"level":"warn","ms":"12"}',
    output: '{"level":"WARN","ms":12}'
  }
}
