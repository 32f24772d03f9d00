// `POST /debug/log_level`: changes log levels, for everything or by plugin, permanently or for a while.
import {
  type Core,
  didYouMean,
  firstValue,
  formatDuration,
  invalidParameter,
  type Parameters,
  parseDuration,
  parseLogLevels,
  printLogLevels
} from '../../core/index.ts'

/** The longest time before a change is reverted. */
const maxDuration = 24 * 3600_000

/** Changes the levels as the body says; returns the previous ones. Throws DbError `InvalidArguments`. */
export function changeLogLevel(core: Pick<Core, 'logLevels' | 'plugins'>, body: string, query: Parameters): string {
  const levels = readLevels(core, body.trim())
  const time = readTime(firstValue(query, 'revert_after'))
  const before = core.logLevels.change(levels, time)
  const said = `Log Level changed from ${printLogLevels(before)} to ${printLogLevels(levels)}`
  return time === undefined ? said : `${said}, for ${formatDuration(time)}`
}

function readLevels({ logLevels, plugins }: Pick<Core, 'logLevels' | 'plugins'>, text: string) {
  try {
    const levels = parseLogLevels(text, logLevels.current().all)
    const names = ['core', ...plugins.map(({ name }) => name)]
    const unknown = [...levels.plugins.keys()].find(name => !names.includes(name))
    if (unknown === undefined) return levels
    throw new Error(`there is no plugin ${unknown}${didYouMean(unknown, names)}`)
  } catch (error) {
    const expected = 'expected a level such as info, with others for plugins such as info,sql=debug'
    throw invalidParameter(`Invalid filter ${text}: ${(error as Error).message}; ${expected}`, error)
  }
}

function readTime(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const time = parseDuration(text)
  if (time !== undefined && time > 0 && time <= maxDuration) return time
  throw invalidParameter(
    `revert_after: expected a duration such as 10m, of at most ${formatDuration(maxDuration)}, got ${text}`
  )
}
