// Which lines are logged: a level for everything, and others for some plugins.

const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal'] as const

type LogLevel = (typeof logLevels)[number]

export interface Levels {
  readonly all: LogLevel
  /** By plugin name, where it differs; `core` is what belongs to none. */
  readonly plugins: ReadonlyMap<string, LogLevel>
}

/** Reads `warn` or `warn,sql=debug,pipelines=trace`, in any case; without a level for everything that is `fallback`. Throws an Error that says what is wrong. */
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

/** The text `parseLevels` reads, in its shortest form. */
export function printLevels({ all, plugins }: Levels): string {
  const own = [...plugins].filter(([, level]) => level !== all).sort(([a], [b]) => (a < b ? -1 : 1))
  return [all, ...own.map(([name, level]) => `${name}=${level}`)].join(',')
}

function levelOf(text: string): LogLevel {
  const level = logLevels.find(level => level === text.toLowerCase())
  if (level !== undefined) return level
  throw new Error(`${JSON.stringify(text)} is no level, expected ${logLevels.join(', ')}`)
}
