// weir pipeline: checks a pipeline document without a server.
import { isUtf8 } from 'node:buffer'
import { readFileSync } from 'node:fs'
import { compilePipeline } from '../plugins/pipelines/document/compile.ts'
import { processors } from '../plugins/processors.ts'
import { type Command, type Commands, dispatch, parseFlags, print } from './command.ts'

const check: Command = {
  usage: `Compiles a pipeline document as a server does when it is created, scripts included, and stores nothing.

Usage: weir pipeline check [--strict] FILE

Unknown keys are warnings on stderr. Processors that plugins of third parties add are not known here.

Options:
      --strict  Unknown keys are errors: exit code 1
  -h, --help    Show this text`,
  async run(args) {
    const { values, positionals } = parseFlags(args, { strict: { type: 'boolean' } }, ['FILE'])
    const [file] = positionals
    const { warnings } = compileFile(file!)
    const kind = values.strict === true ? 'error' : 'warning'
    const lines = warnings.map(({ line, message }) => `${file}:${line}: ${kind}: ${message}`)
    if (lines.length > 0) process.stderr.write(`${lines.join('\n')}\n`)
    if (values.strict === true && lines.length > 0) throw new Error(`${file}: ${counted(lines.length)} (--strict)`)
    print(`${file}: ok`)
  }
}

function counted(keys: number): string {
  return keys === 1 ? '1 unknown key' : `${keys} unknown keys`
}

function compileFile(file: string) {
  const bytes = readFileSync(file)
  if (!isUtf8(bytes)) throw new Error(`${file}: the pipeline is not valid UTF-8`)
  try {
    return compilePipeline(bytes.toString(), new Map(processors.map(kind => [kind.kind, kind])))
  } catch (cause) {
    throw new Error(`${file}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause })
  }
}

const commands: Commands = { check: async () => check }

const usage = `Checks pipeline documents.

Usage: weir pipeline COMMAND

Commands:
  check FILE  Compile a document without a server and name its unknown keys`

export const pipeline: Command = {
  usage,
  commands,
  run: args => dispatch(commands, args, usage)
}
