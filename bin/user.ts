// weir user: makes password hashes and tokens for a credential file.
import { hashPassword, makeToken } from '../core/auth/password.ts'
import { parseUserList } from '../core/auth/users.ts'
import { type Command, type Commands, dispatch, parseFlags, print, UsageError } from './command.ts'
import { readPassword } from './password.ts'

const hash: Command = {
  usage: `Prints a hash of a password for a line user=HASH of a credential file (PBKDF2 with SHA-256, 4096 iterations, 16-byte salt).

Usage: weir user hash-password [--password-stdin]

Options:
  --password-stdin  Read the password from the standard input, without its last line break; otherwise it is asked for
  -h, --help        Show this text`,
  async run(args) {
    const flags = parseFlags(args, { 'password-stdin': { type: 'boolean' } }).values
    const password = await readPassword(flags['password-stdin'] === true)
    if (password.trim() === '') throw new UsageError('the password is empty')
    print(await hashPassword(password))
  }
}

const token: Command = {
  usage: `Prints a new bearer token, which is shown once, and the line of a credential file that lets it in.

Usage: weir user make-token NAME [--rights RIGHTS] [--expires TIME]

Options:
  --rights RIGHTS  What the token may do: rw, ro or wo, or for some databases alone: ro@a+b (default rw)
  --expires TIME   When it ends: 2027-01-31 or 2027-01-31T12:00:00Z (default never)
  -h, --help       Show this text`,
  async run(args) {
    const options = { rights: { type: 'string' }, expires: { type: 'string' } } as const
    const { values, positionals } = parseFlags(args, options, ['NAME'])
    const [name] = positionals
    const { token, secret } = makeToken()
    const expires = values['expires'] === undefined ? '' : `:${values['expires']}`
    const rights = values['rights'] === undefined ? '' : `:${values['rights']}`
    const line = `${name}${rights}=${secret}${expires}`
    try {
      parseUserList(line)
    } catch (error) {
      throw new UsageError((error as Error).message.replace(/^entry 1: /, ''))
    }
    print(`token: ${token}`)
    print(`line:  ${line}`)
  }
}

const commands: Commands = { 'hash-password': async () => hash, 'make-token': async () => token }

const usage = `Helps with users.

Usage: weir user COMMAND

Commands:
  hash-password [--password-stdin]  Hash a password for a credential file
  make-token NAME                   Make a bearer token and its line of a credential file`

export const user: Command = {
  usage,
  commands,
  run: args => dispatch(commands, args, usage)
}
