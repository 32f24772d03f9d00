// weir user: makes hashes for a credential file.
import { text } from 'node:stream/consumers'
import { hashPassword } from '../core/auth/password.ts'
import { type Command, type Commands, dispatch, parseFlags, print, UsageError } from './command.ts'

const hash: Command = {
  usage: `Prints a hash of a password for a line user=HASH of a credential file (PBKDF2 with SHA-256, 4096 iterations, 16-byte salt).

Usage: weir user hash-password [--password-stdin]

Options:
  --password-stdin  Read the password from the standard input, without its last line break; otherwise it is asked for
  -h, --help        Show this text`,
  async run(args) {
    const flags = parseFlags(args, { 'password-stdin': { type: 'boolean' } }).values
    const password = flags['password-stdin'] ? (await text(process.stdin)).replace(/\r?\n$/, '') : await ask()
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

/** Reads one line from the terminal without showing it. */
async function ask(): Promise<string> {
  const { stdin, stderr } = process
  if (!stdin.isTTY) throw new UsageError('the standard input is no terminal: give --password-stdin')
  stderr.write('Password: ')
  stdin.setRawMode(true)
  stdin.setEncoding('utf8')
  let password = ''
  try {
    for await (const typed of stdin) {
      for (const key of String(typed)) {
        if (key === '\r' || key === '\n' || key === '\u0004') return password
        if (key === '\u0003') throw new UsageError('interrupted')
        password = key === '\u007f' ? [...password].slice(0, -1).join('') : password + key
      }
    }
    return password
  } finally {
    stdin.setRawMode(false)
    stderr.write('\n')
  }
}
