// Log files: one per hour; the oldest are deleted.
import { closeSync, fstatSync, mkdirSync, openSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { createSink, type LogOutput } from './sink.ts'

const hourly = /^-\d{4}-\d\d-\d\d-\d\d\.log$/

/** Milliseconds before opening a file is tried again. */
const retry = 10_000

interface LogFileOptions {
  /** Prefix of the file names; default `weir`. */
  readonly name?: string
  readonly dir: string
  /** Number of files to keep. */
  readonly keep: number
  /** Maximum bytes of a file; further lines of the hour are dropped. 0: no limit. */
  readonly maxBytes: number
  /** Called with the number of dropped lines. */
  readonly onLost: (lines: number) => void
  readonly now?: () => Date
}

/**
 * Appends to `NAME-YYYY-MM-DD-HH.log` (UTC) in a folder, which is created. Throws if the folder cannot be created. While a file cannot be
 * opened, for example on a read-only disk, lines are dropped.
 */
export function createLogFiles({
  name = 'weir',
  dir,
  keep,
  maxBytes,
  onLost,
  now = () => new Date()
}: LogFileOptions): LogOutput {
  mkdirSync(dir, { recursive: true })
  let file: OpenFile | undefined
  let opened = Number.NEGATIVE_INFINITY
  const current = () => {
    const time = now()
    const hour = hourOf(time)
    if (hour === file?.hour || (file === undefined && time.getTime() - opened < retry)) return file
    void file?.close()
    file = openFile(join(dir, `${name}-${hour}.log`), hour, onLost)
    opened = time.getTime()
    prune(dir, { name, hour, keep })
    return file
  }
  current()
  return {
    write(line) {
      const to = current()
      const bytes = Buffer.byteLength(line)
      if (to === undefined || (maxBytes > 0 && to.bytes + bytes > maxBytes)) return onLost(1)
      to.bytes += bytes
      to.write(line)
    },
    flushSync: () => file?.flushSync(),
    close: async () => (await file?.close()) ?? true
  }
}

interface OpenFile extends LogOutput {
  readonly hour: string
  bytes: number
}

/** Opens the file for appending; undefined if that fails. */
function openFile(path: string, hour: string, onLost: (lines: number) => void): OpenFile | undefined {
  try {
    const fd = openSync(path, 'a')
    const sink = createSink(fd, onLost)
    const close = async () => {
      const isDone = await sink.close()
      if (isDone) closeSync(fd)
      return isDone
    }
    return { ...sink, hour, bytes: fstatSync(fd).size, close }
  } catch {
    return undefined
  }
}

function hourOf(time: Date): string {
  return time.toISOString().slice(0, 13).replace('T', '-')
}

/**
 * Deletes the oldest files, keeping one fewer than allowed, because the current file may not exist yet. A folder that cannot be read is left
 * alone.
 */
function prune(
  dir: string,
  { name, hour, keep }: { readonly name: string; readonly hour: string; readonly keep: number }
) {
  const current = `${name}-${hour}.log`
  try {
    const files = readdirSync(dir).filter(
      file => file.startsWith(`${name}-`) && hourly.test(file.slice(name.length)) && file !== current
    )
    for (const file of files.sort().slice(0, Math.max(0, files.length - keep + 1)))
      rmSync(join(dir, file), { force: true })
  } catch {}
}
