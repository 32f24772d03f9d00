// The command line: finds the command, and converts errors to lines on stderr and an exit code.
import { ConfigError } from '../core/config/error.ts'
import { version } from '../core/version.ts'
import { type Commands, dispatch, print, UsageError } from './command.ts'

const commands: Commands = {
  start: async () => (await import('./start.ts')).start,
  config: async () => (await import('./config.ts')).config,
  user: async () => (await import('./user.ts')).user,
  storage: async () => (await import('./storage.ts')).storage,
  backup: async () => (await import('./backup.ts')).backup,
  demo: async () => (await import('./demo.ts')).demo,
  plugins: async () => (await import('./plugins.ts')).plugins,
  query: async () => (await import('./query.ts')).query,
  pipeline: async () => (await import('./pipeline.ts')).pipeline,
  vrl: async () => (await import('./vrl.ts')).vrl
}

const usage = `A server for time series, logs and traces.

Usage: weir COMMAND [OPTIONS]

Commands:
  start     Run the server
  config    Check a configuration file, print the effective one, explain keys, give the schema
  plugins   List and check plugins, write the package of a new one
  query     Ask a running server in SQL or PromQL
  user      Hash passwords for a credential file
  storage   Check or repair a data folder, copy it to a ClickHouse cluster or back
  backup    Copy the data of a running server, verify and restore copies
  demo      Run the server on a temporary folder with an example, and show what it answers
  pipeline  Check a pipeline document without a server
  vrl       Run a script of the vrl processor on an event

Options:
  -h, --help     Show this text, or that of a command: weir start --help
  -V, --version  Show the version`

/** Runs `weir …`. Exit code 2: wrong command line or configuration; 1: any other failure. */
export async function main(args: readonly string[]): Promise<void> {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
    // A closed pipe, for example by `head`, is not a failure; servers continue without it.
    if (args[0] !== 'start' && args[0] !== 'demo') process.exit(0)
  })
  try {
    if (args[0] === '--version' || args[0] === '-V') print(version)
    else if (args.length === 0) print(usage)
    else await dispatch(commands, args, usage)
  } catch (error) {
    process.stderr.write(describe(error))
    // Exits explicitly, because a failed start may have left something open.
    process.exit(error instanceof UsageError || error instanceof ConfigError ? 2 : 1)
  }
}

function describe(error: unknown): string {
  if (error instanceof UsageError) return `weir: ${error.message} (weir --help lists commands and options)\n`
  const message = error instanceof Error ? error.message : String(error)
  const text = message
    .split('\n')
    .map(line => `weir: ${line}\n`)
    .join('')
  // Only defects are printed with a stack.
  return error instanceof TypeError || error instanceof ReferenceError ? `${text}${error.stack}\n` : text
}
