// Checks a configuration beyond its schema. Start, reload and `weir config check` share these checks.
import { statSync } from 'node:fs'
import { dirname } from 'node:path'
import { createUserProvider } from './auth/create.ts'
import { userPlugin } from './auth/plugin.ts'
import { ConfigError, type ConfigProblem } from './config/error.ts'
import type { Config } from './config/schema.ts'
import { loadEngine } from './create.ts'
import { checkTls } from './http/tls.ts'
import type { Logger } from './log/log.ts'
import { type Catalogue, loadPlugins } from './registry.ts'
import type { EnabledPlugin } from './server.ts'

/**
 * The plugins of a configuration, each after those it depends on. Throws ConfigError with all problems of plugins, engine, certificate, users
 * and folders. Opens and writes nothing; warnings go to `log`. Module paths are relative to `folder`.
 */
export async function checkConfig(
  config: Config,
  catalogue: Catalogue,
  folder: string,
  log: Logger
): Promise<readonly EnabledPlugin[]> {
  const problems: ConfigProblem[] = []
  const attempt = async <T>(work: () => T | Promise<T>): Promise<T | undefined> => {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error
      problems.push(...error.problems)
      return undefined
    }
  }
  const plugins = await attempt(() => loadPlugins(config, catalogue, folder))
  await attempt(() => checkUserPlugin(config, plugins))
  await attempt(() => loadEngine(config.storage.engine, folder))
  await attempt(() => checkTls(config.http.tls))
  await attempt(async () => {
    if (config.user_provider !== '') await (await createUserProvider(config.user_provider, log)).close()
  })
  problems.push(...blockedFolders(config))
  if (plugins === undefined || problems.length > 0) throw new ConfigError(problems)
  return plugins
}

/** Throws ConfigError if `user_provider` names a plugin that is not enabled or does not authenticate. */
function checkUserPlugin({ user_provider }: Config, plugins: readonly EnabledPlugin[] | undefined): void {
  const name = userPlugin(user_provider)
  if (name === undefined || plugins === undefined) return
  const path = ['user_provider']
  const plugin = plugins.find(({ spec }) => spec.name === name)
  if (plugin === undefined) throw new ConfigError([{ path, message: `there is no plugin ${name} that runs` }])
  if (plugin.spec.authenticate === undefined)
    throw new ConfigError([{ path, message: `plugin ${name} knows no users: it has no authenticate` }])
}

/** Folders that cannot be created because a file is in their place, or in that of a parent folder. */
function blockedFolders({ storage, wal, logging }: Config): ConfigProblem[] {
  const folders: readonly (readonly [readonly string[], string])[] = [
    [['storage', 'data_home'], storage.data_home],
    [['wal', 'dir'], wal.dir],
    ...(logging.max_log_files > 0 ? [[['logging', 'dir'], logging.dir] as const] : [])
  ]
  // By default the folders of log and data are below the first; report the problem once.
  const told = new Set<string>()
  return folders.flatMap(([path, folder]) => {
    const file = fileInPlaceOf(folder)
    if (file === undefined || told.has(file)) return []
    told.add(file)
    return [{ path, message: `expected a folder: ${file} is a file` }]
  })
}

function fileInPlaceOf(folder: string): string | undefined {
  for (let at = folder; ; at = dirname(at)) {
    const kind = kindOf(at)
    if (kind !== 'missing') return kind === 'other' ? at : undefined
    if (dirname(at) === at) return undefined
  }
}

/** Errors other than "not found" are treated as a folder. */
function kindOf(path: string): 'folder' | 'other' | 'missing' {
  try {
    return statSync(path).isDirectory() ? 'folder' : 'other'
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    return code === 'ENOENT' || code === 'ENOTDIR' ? 'missing' : 'folder'
  }
}
