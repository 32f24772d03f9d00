// A script that makes of an item whatever it wants: another item, several, or none.

import type { ItemBatch } from '../../../core/compute.ts'
import type { ProcessorDefinition, ProcessorOptions } from '../../services.ts'
import { variableNames, type WrittenVariables } from '../run/variables.ts'
import { defaultScriptLimits, limitText, type ScriptFailure, type ScriptLimits } from '../script/limits.ts'
import { runScript } from '../script/run.ts'
import { bit, compile, type Kind, type LogSink, mayBe, type Program, printDiagnostics } from '../vrl/index.ts'

export interface VrlSettings {
  readonly limits: ScriptLimits
  /** Told of every script that is refused and of every item that a script fails. */
  readonly count: (reason: ScriptFailure) => void
  /** Receives what scripts log. */
  readonly log: LogSink
}

export function createVrl({ limits, count, log }: VrlSettings): ProcessorDefinition {
  return {
    kind: 'vrl',
    compile(options, path) {
      const source = options.text('source')
      if (source === undefined) throw options.error('source is required')
      let logged = 0
      const sink: LogSink = (level, message) => {
        if (logged++ < limits.logs) log(level, message.slice(0, maxMessage))
      }
      const program = compileScript(source, options, { limits, count, log: sink })
      const input = { kind: 'vrl', path, ignoreMissing: false }
      return {
        writes: [],
        apply(batch: ItemBatch, written?: WrittenVariables) {
          logged = 0
          runScript({ program, limits, input, count, written }, batch)
        }
      }
    },
    doc
  }
}

/** UTF-16 units of a message in the log. */
const maxMessage = 4096

function compileScript(source: string, options: ProcessorOptions, { limits, count, log }: VrlSettings): Program {
  const refused = (reason: string) => {
    count('compile')
    return options.error(`Failed to compile VRL, ${reason}`)
  }
  const { length, output, time } = limits
  if (source.length > length)
    throw refused(`source has ${source.length} characters, at most are ${length} (${limitText(limits, 'length')})`)
  const { program, diagnostics } = compile(source, {
    limits: { program: length, output, time },
    log,
    watched: variableNames
  })
  if (program === undefined) {
    const errors = diagnostics.filter(({ severity }) => severity === 'error')
    throw refused(`\n${printDiagnostics(source, errors)}`)
  }
  if (!mayBe(program.kind, bit.object | bit.array)) throw refused('Vrl script should return object or array in the end')
  if (holdsRegex(program.kind)) throw refused("Please don't use regex in Vrl script: delete fields that hold one")
  return program
}

/** A field is known to be a regular expression. */
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
      text: 'The script. What can fail must be handled; otherwise the pipeline is refused, with the place in the script.'
    }
  ],
  example: {
    yaml: 'vrl: { source: \'.level = upcase(string(.level) ?? "info"); .ms = to_int(.ms) ?? 0; .\' }',
    input: '{"level":"warn","ms":"12"}',
    output: '{"level":"WARN","ms":12}'
  }
}

/** With the limits of the default configuration; counts and logs nothing. */
export const vrl = createVrl({ limits: defaultScriptLimits, count: () => undefined, log: () => undefined })
