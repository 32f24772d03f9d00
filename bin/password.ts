// Reads a password for a command, from standard input or, without echo, from the terminal.
import { text } from 'node:stream/consumers'
import { UsageError } from './command.ts'

/** From standard input without the last line break, or from the terminal. Throws UsageError if there is none. */
export async function readPassword(fromInput: boolean): Promise<string> {
  return fromInput ? (await text(process.stdin)).replace(/\r?\n$/, '') : ask()
}

/** Reads a line from the terminal without echo. */
async function ask(): Promise<string> {
  const { stdin, stderr } = process
  if (!stdin.isTTY) throw new UsageError('the standard input is not a terminal: give --password-stdin')
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
