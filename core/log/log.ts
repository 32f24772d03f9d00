// Logging: pino, with a child logger per server, plugin and request. The level of all of them can be changed at run time.
import pino, { type Logger as Pino } from 'pino'
import type { Config } from '../config/schema.ts'
import { createLogFiles } from './file.ts'
import { type Levels, parseLevels } from './levels.ts'
import { createSink } from './sink.ts'
import { textLine } from './text.ts'

/** A logger, as pino has it. */
export type Logger = Pick<Pino, 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'child' | 'level'>

/** The logger of the process. */
export type RootLogger = Logger & {
  getLevels(): Levels
  /** Changes the levels of existing loggers, too: those made with `{ plugin }` get their plugin's level, others that of `core`. */
  setLevels(levels: Levels): void
  /** Calls `listener` with each line as JSON, whatever the outputs; the result ends that. */
  listen(listener: (json: string) => void): () => void
  /** Writes pending lines and closes the file; later lines are dropped. */
  close(): Promise<void>
}

/** Called with the number of lines that could not be written, or were dropped because the queue was full. */
type LogLoss = (output: 'stdout' | 'file', lines: number) => void

/** Logs to standard output and to hourly files in `dir`, as configured. Throws if the folder cannot be created. */
export function createLogger(config: Config['logging'], onLost: LogLoss = () => {}): RootLogger {
  const { dir, max_log_files: keep, max_log_file_size: maxBytes } = config
  const files = { dir, keep, maxBytes, onLost: (lines: number) => onLost('file', lines) }
  const outputs = [
    // Standard output belongs to the process and stays open.
    ...(config.append_stdout ? [createSink(1, lines => onLost('stdout', lines))] : []),
    ...(keep > 0 ? [createLogFiles(files)] : [])
  ]
  const listeners = new Set<(json: string) => void>()
  let open = true
  const stream = {
    write(line: string) {
      for (const listener of listeners) listener(line)
      if (!open || outputs.length === 0) return
      const text = config.log_format === 'json' ? line : textLine(line)
      for (const output of outputs) output.write(text)
    },
    flushSync() {
      for (const output of outputs) output.flushSync()
    }
  }
  const flush = () => stream.flushSync()
  if (outputs.length > 0) process.on('exit', flush)
  let levels = parseLevels(config.level, 'info')
  const children = new Set<WeakRef<Pino>>()
  let crowded = 64
  const onChild = (child: Pino) => {
    if (levels.plugins.size > 0) setLevel(child, levels)
    children.add(new WeakRef(child))
    if (children.size < crowded) return
    for (const reference of children) if (reference.deref() === undefined) children.delete(reference)
    crowded = Math.max(64, children.size * 2)
  }
  const options = {
    level: levelFor(undefined, levels),
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    onChild
  }
  const root = pino(options, stream)
  const own = {
    getLevels: () => levels,
    listen(listener: (json: string) => void) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    setLevels(changed: Levels) {
      levels = changed
      root.level = levelFor(undefined, changed)
      for (const reference of children) setLevel(reference.deref(), changed)
    },
    async close() {
      if (!open) return
      open = false
      process.off('exit', flush)
      await Promise.all(outputs.map(output => output.close()))
    }
  }
  return Object.assign(root, own)
}

function setLevel(child: Pino | undefined, levels: Levels) {
  if (child === undefined) return
  const { plugin } = levels.plugins.size === 0 ? {} : (child.bindings() as { readonly plugin?: string })
  child.level = levelFor(plugin, levels)
}

/** Loggers outside of plugins use the level of `core`. */
function levelFor(plugin = 'core', { all, plugins }: Levels) {
  return plugins.get(plugin) ?? all
}
