// weir vrl: runs a script of the vrl processor, for its authors and for tests.
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { parseZone } from '../core/index.ts'
import {
  compile,
  parsePath,
  position,
  printDiagnostics,
  type ReadOnlyPath,
  readJsonValue,
  writePretty,
  writeValue
} from '../plugins/vrl/language/index.ts'
import { type Command, parseFlags, print, UsageError } from './command.ts'

export const vrl: Command = {
  usage: `Runs a script of the vrl processor on an event, and prints its result and the changed event.

Usage: weir vrl --program FILE [--object FILE]
       weir vrl --ndjson

Options:
      --program FILE  The script
      --object FILE   The event as JSON; {} without it
      --ndjson        Read one request a line from stdin and answer each with a line:
                      {"id":1,"program":"…","object":{…},"timezone":"UTC"}
  -h, --help          Show this text`,
  async run(args) {
    const { values } = parseFlags(args, {
      program: { type: 'string' },
      object: { type: 'string' },
      ndjson: { type: 'boolean' }
    })
    if (values.ndjson === true) return await answerLines()
    if (values.program === undefined) throw new UsageError('--program FILE or --ndjson is missing')
    runFile(values.program, values.object)
  }
}

function runFile(program: string, object: string | undefined): void {
  const source = readFileSync(program, 'utf8')
  const event = readJsonValue(object === undefined ? '{}' : readFileSync(object, 'utf8'))
  const compiled = compile(source, { log: logLine })
  if (compiled.diagnostics.length > 0) process.stderr.write(`${printDiagnostics(source, compiled.diagnostics)}\n`)
  if (compiled.program === undefined) throw new Error(`${program} does not compile`)
  const outcome = compiled.program.run(event)
  if (!outcome.ok) throw new Error(outcome.message)
  print(`result: ${writePretty(outcome.value)}\nevent: ${writePretty(compiled.program.event)}`)
}

function logLine(level: string, message: string): void {
  process.stderr.write(`${level}: ${message}\n`)
}

/** Answers each line before reading the next one. */
async function answerLines(): Promise<void> {
  for await (const line of createInterface({ input: process.stdin })) {
    if (line.trim() !== '') process.stdout.write(`${answer(line)}\n`)
  }
}

interface Request {
  readonly id: unknown
  readonly program: string
  readonly timezone?: string
  readonly read_only?: readonly {
    readonly path: string
    readonly recursive: boolean
    readonly target: 'event' | 'metadata'
  }[]
}

function answer(line: string): string {
  const { id, program: source, timezone = 'UTC', read_only = [] } = JSON.parse(line) as Request
  // Parsed again without loss, because the event may contain 64-bit integers.
  const request = readJsonValue(line)
  const event = (request instanceof Map && request.get('object')) || new Map()
  const zone = parseZone(timezone)
  if (zone === undefined) throw new UsageError(`unknown time zone ${JSON.stringify(timezone)}`)
  const readOnly = read_only.map(
    ({ path, recursive, target }): ReadOnlyPath => ({ root: target, recursive, path: parsePath(path) ?? [] })
  )
  const { program, diagnostics } = compile(source, { zone, readOnly, log: logLine })
  const head = JSON.stringify({ id }).slice(0, -1)
  if (program === undefined) {
    const { code, span } = diagnostics.find(({ severity }) => severity === 'error')!
    const text = JSON.stringify(printDiagnostics(source, diagnostics))
    const location = JSON.stringify(position(source, span.start)).slice(1)
    return `${head},"ok":false,"stage":"compile","code":${code},"message":${text},${location}`
  }
  const outcome = program.run(event)
  if (outcome.ok)
    return `${head},"ok":true,"result":${writeValue(outcome.value)},"object":${writeValue(program.event)}}`
  const text = JSON.stringify(outcome.message)
  return `${head},"ok":false,"stage":"runtime","code":null,"message":${text},"aborted":${outcome.aborted},"object":${writeValue(program.event)}}`
}
