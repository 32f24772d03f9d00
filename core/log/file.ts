// Log files: one per hour, the oldest removed.
import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import pino from 'pino'

/** Where lines go. */
export interface LogOutput {
  write(text: string): void
  flushSync(): void
  /** Resolves when everything is written. */
  close(): Promise<void>
}

/** Appends to `weir-YYYY-MM-DD-HH.log` (UTC) in a folder, which is made, and keeps the newest `keep` of these files. */
export function createLogFiles(dir: string, keep: number, now: () => Date = () => new Date()): LogOutput {
  mkdirSync(dir, { recursive: true })
  let hour = hourOf(now())
  const file = pino.destination({ dest: pathOf(dir, hour), sync: false, append: true })
  // A full disk must not end the server; the standard output still has the lines.
  file.on('error', () => {})
  prune(dir, hour, keep)
  return {
    write(text) {
      const current = hourOf(now())
      if (current !== hour) {
        hour = current
        file.reopen(pathOf(dir, hour))
        prune(dir, hour, keep)
      }
      file.write(text)
    },
    flushSync: () => file.flushSync(),
    close: () =>
      new Promise(resolve => {
        file.once('close', resolve).once('error', () => resolve())
        file.end()
      })
  }
}

function hourOf(time: Date): string {
  return time.toISOString().slice(0, 13).replace('T', '-')
}

function pathOf(dir: string, hour: string): string {
  return join(dir, `weir-${hour}.log`)
}

/** The current file may not be there yet: one place is kept for it. */
function prune(dir: string, hour: string, keep: number) {
  const current = `weir-${hour}.log`
  const files = readdirSync(dir).filter(name => /^weir-\d{4}-\d\d-\d\d-\d\d\.log$/.test(name) && name !== current)
  for (const name of files.sort().slice(0, Math.max(0, files.length - keep + 1)))
    rmSync(join(dir, name), { force: true })
}
