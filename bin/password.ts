// A password for a command: from the standard input, or asked for without showing it.
import { text } from 'node:stream/consumers'
import { UsageError } from './command.ts'

/** From the standard input without its last line break, or from the terminal. Throws UsageError where there is none. */
export async function readPassword(fromInput: boolean): Promise<string> {
  return fromInput ? (await text(process.stdin)).replace(/\r?\n$/, '') : ask()
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
