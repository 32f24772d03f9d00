// A plugin as user provider: `user_provider = "plugin:NAME"`.
import { DbError } from '../errors.ts'
import type { Credentials, PermissionMode, User, UserProvider } from './provider.ts'

interface PluginUsers extends UserProvider {
  /** Called once the plugin is set up; until then all credentials are refused. */
  bind(authenticate: (credentials: Credentials) => User | Promise<User>): void
}

const prefix = 'plugin:'

/** The plugin that `user_provider` names; undefined for other providers. */
export function userPlugin(text: string): string | undefined {
  return text.startsWith(prefix) ? text.slice(prefix.length) : undefined
}

export function createPluginProvider(plugin: string): PluginUsers {
  let ask: ((credentials: Credentials) => User | Promise<User>) | undefined
  return {
    name: `${prefix}${plugin}`,
    bind(authenticate) {
      ask = authenticate
    },
    async authenticate(credentials) {
      if (ask === undefined) throw new DbError('Suspended', 'the server is starting', { retryAfter: 1 })
      const user: unknown = await ask(credentials)
      const problem = problemOf(user)
      if (problem !== undefined) throw new TypeError(`authenticate of plugin ${plugin} must return a user: ${problem}`)
      return user as User
    },
    close: async () => {}
  }
}

export function isPluginProvider(provider: UserProvider | undefined): provider is PluginUsers {
  return provider !== undefined && 'bind' in provider
}

const modes: ReadonlySet<unknown> = new Set<PermissionMode>(['rw', 'ro', 'wo'])

/** What is wrong with the plugin's result: a defect in a plugin must not grant rights. */
function problemOf(user: unknown): string | undefined {
  const { name, mode, databases } = Object(user) as Partial<User>
  if (typeof name !== 'string' || name === '') return 'name must be a text'
  if (!modes.has(mode)) return 'mode must be rw, ro or wo'
  if (databases === undefined) return undefined
  if (!(databases instanceof Map)) return 'databases must be a Map'
  return [...databases.values()].every(each => modes.has(each)) ? undefined : 'databases must have rw, ro or wo'
}
