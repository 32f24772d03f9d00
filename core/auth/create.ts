// Creates the user provider that `user_provider` configures.
import { ConfigError } from '../config/error.ts'
import type { Logger } from '../log/log.ts'
import { createFileProvider } from './file.ts'
import { createPluginProvider, userPlugin } from './plugin.ts'
import type { UserProvider } from './provider.ts'
import { createTableProvider } from './static.ts'
import { parseUserList } from './users.ts'

/**
 * Creates the provider for `static_user_provider:file:PATH`, `static_user_provider:cmd:LIST`, `watch_file_user_provider:PATH` or
 * `plugin:NAME`. Throws ConfigError for any other text, or if the file or list cannot be used.
 */
export async function createUserProvider(text: string, log: Logger): Promise<UserProvider> {
  const plugin = userPlugin(text)
  if (plugin !== undefined) return createPluginProvider(plugin)
  const [, kind, value] = /^(static_user_provider:file|static_user_provider:cmd|watch_file_user_provider):(.+)$/s.exec(
    text
  ) ?? ['', '', '']
  try {
    switch (kind) {
      case 'static_user_provider:file':
        return await createFileProvider(value!, log, { name: 'static_user_provider', watch: false })
      case 'static_user_provider:cmd': {
        const users = parseUserList(value!)
        return createTableProvider('static_user_provider', () => users)
      }
      case 'watch_file_user_provider':
        return await createFileProvider(value!, log, { name: 'watch_file_user_provider', watch: true })
    }
  } catch (error) {
    // The value is shown for files only, because a list holds passwords.
    const what = kind === 'static_user_provider:cmd' ? 'the list of users' : `the file of users ${value}`
    throw new ConfigError([
      { path: ['user_provider'], message: `cannot use ${what}: ${reasonOf(error as NodeJS.ErrnoException)}` }
    ])
  }
  const forms =
    'static_user_provider:file:PATH, static_user_provider:cmd:USER=SECRET,…, watch_file_user_provider:PATH or plugin:NAME'
  throw new ConfigError([{ path: ['user_provider'], message: `expected ${forms}` }])
}

function reasonOf(error: NodeJS.ErrnoException): string {
  return error.code === 'ENOENT' ? 'no such file' : error.message
}
