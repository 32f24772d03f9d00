// weir user: makes hashes for a credential file.
import { hashPassword } from '../core/auth/password.ts'
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

const commands: Commands = { 'hash-password': async () => hash }

const usage = `Helps with users.

Usage: weir user COMMAND

Commands:
  hash-password [--password-stdin]  Hash a password for a credential file`

export const user: Command = {
  usage,
  commands,
  run: args => dispatch(commands, args, usage)
}
