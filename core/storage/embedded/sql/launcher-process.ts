// The program of the process that starts others for the server: it hands over what leads to them, tells of their end, and ends with the server.
import { type Program, type ProgramEnd, type ProgramOrder, startProgram } from './program.ts'

export type LauncherOrder =
  | { readonly id: number; readonly start: ProgramOrder }
  | { readonly id: number; readonly kill: true }

/** `pid` comes with the socket of the program, `errors` with its standard error. */
export type LauncherWord =
  | { readonly id: number; readonly pid: number }
  | { readonly id: number; readonly errors: true }
  | { readonly id: number; readonly error: string }
  | { readonly id: number; readonly end: ProgramEnd }

const programs = new Map<number, Program>()

// The server ends this process: a terminal's interrupt goes to both.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {})
process.on('disconnect', () => process.exit(0))
process.on('message', (order: LauncherOrder) => {
  if ('start' in order) start(order.id, order.start)
  else programs.get(order.id)?.kill()
})

function start(id: number, order: ProgramOrder): void {
  const tell = (word: LauncherWord, handle?: Program['socket']) => {
    if (process.connected) process.send!(word, handle, undefined, () => {})
  }
  let program: Program
  try {
    program = startProgram(order, 'exit')
  } catch (error) {
    tell({ id, error: (error as Error).message })
    return
  }
  programs.set(id, program)
  tell({ id, pid: program.pid }, program.socket)
  tell({ id, errors: true }, program.stderr)
  void program.ended.then(end => {
    programs.delete(id)
    tell({ id, end })
  })
}
