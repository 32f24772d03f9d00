// The interface of commands, and parsing of their flags.
import { type ParseArgsConfig, parseArgs } from 'node:util'
import { didYouMean } from '../core/config/closest.ts'

export interface Command {
  /** The text of `--help`. */
  readonly usage: string
  /** Resolves when the work is done; a running server keeps the process alive by itself. */
  run(args: readonly string[]): Promise<void>
  /** Subcommands. */
  readonly commands?: Commands
}

/** Commands by name; each module is loaded when it is used. */
export type Commands = Readonly<Record<string, () => Promise<Command>>>

/** A wrong command line: one line on stderr, exit code 2. */
export class UsageError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'UsageError'
  }
}

/** `parseArgs` in strict mode, with a hint for misspelt flags. Positional arguments are those named in `positionals`; all are required. */
export function parseFlags<const O extends NonNullable<ParseArgsConfig['options']>>(
  args: readonly string[],
  options: O,
  positionals: readonly string[] = []
) {
  const parsed = attempt(args, options)
  const [extra] = parsed.positionals.slice(positionals.length)
  if (extra !== undefined) throw new UsageError(`unexpected argument ${JSON.stringify(extra)}`)
  const missing = positionals[parsed.positionals.length]
  if (missing !== undefined) throw new UsageError(`${missing} is missing`)
  return parsed
}

function attempt<const O extends NonNullable<ParseArgsConfig['options']>>(args: readonly string[], options: O) {
  try {
    return parseArgs({ args: [...args], options, strict: true, allowPositionals: true })
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code?.startsWith('ERR_PARSE_ARGS') !== true) throw error
    const unknown = code === 'ERR_PARSE_ARGS_UNKNOWN_OPTION' ? /'(-[^']*)'/.exec(message)?.[1] : undefined
    if (unknown === undefined) throw new UsageError(message.split('\n')[0]!.replace(/^Option /, 'option '))
    const known = Object.keys(options).map(name => `--${name}`)
    throw new UsageError(`unknown option ${unknown}${didYouMean(unknown, known)}`)
  }
}

/** Runs the command that is named first, or prints the usage of the list. */
export async function dispatch(commands: Commands, args: readonly string[], usage: string) {
  const [name, ...rest] = args
  if (name === undefined) throw new UsageError(`a command is missing: ${Object.keys(commands).join(', ')}`)
  if (name === '--help' || name === '-h' || name === 'help') return print(usage)
  if (name.startsWith('-')) throw new UsageError(`unknown option ${name}`)
  if (!Object.hasOwn(commands, name))
    throw new UsageError(`unknown command ${JSON.stringify(name)}${didYouMean(name, Object.keys(commands))}`)
  const command = await commands[name]!()
  if (rest.includes('--help') || rest.includes('-h')) return print(await usageFor(command, rest))
  await command.run(rest)
}

/** A command with subcommands prints the usage of the named one. */
async function usageFor(command: Command, args: readonly string[]): Promise<string> {
  const name = args.find(arg => !arg.startsWith('-'))
  const inner = name === undefined ? undefined : command.commands?.[name]
  return inner === undefined ? command.usage : (await inner()).usage
}

export function print(text: string): void {
  process.stdout.write(text.endsWith('\n') ? text : `${text}\n`)
}
