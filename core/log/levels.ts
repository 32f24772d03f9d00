// Log levels: one for everything, others for some plugins.

const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal'] as const

type LogLevel = (typeof logLevels)[number]

export interface Levels {
  readonly all: LogLevel
  /** Levels of plugins that differ; `core` stands for everything outside of plugins. */
  readonly plugins: ReadonlyMap<string, LogLevel>
}

/**
 * Parses `warn` or `warn,sql=debug,pipelines=trace`, in any case; without a level for everything, that is `fallback`. Throws an Error that
 * tells what is wrong.
 */
export function parseLevels(text: string, fallback: LogLevel): Levels {
  const parts = text.split(',').map(part => part.trim())
  const plugins = new Map<string, LogLevel>()
  let all: LogLevel | undefined
  for (const part of parts) {
    const equals = part.indexOf('=')
    if (equals >= 0) plugins.set(part.slice(0, equals).trim(), levelOf(part.slice(equals + 1).trim()))
    else if (all === undefined) all = levelOf(part)
    else throw new Error(`two levels for everything, ${all} and ${part}: others stand as plugin=level`)
  }
  if (plugins.has('')) throw new Error(`a plugin's name is missing in ${text}`)
  return { all: all ?? fallback, plugins }
}

/** The shortest text that `parseLevels` reads as these levels. */
export function printLevels({ all, plugins }: Levels): string {
  const own = [...plugins].filter(([, level]) => level !== all).sort(([a], [b]) => (a < b ? -1 : 1))
  return [all, ...own.map(([name, level]) => `${name}=${level}`)].join(',')
}

function levelOf(text: string): LogLevel {
  const level = logLevels.find(level => level === text.toLowerCase())
  if (level !== undefined) return level
  throw new Error(`${JSON.stringify(text)} is not a level, expected ${logLevels.join(', ')}`)
}
