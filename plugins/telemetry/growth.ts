// How far requests may make a database grow.
import type { Limit, PluginCore } from '../../core/index.ts'

/** The limit an option sets, with its key. */
export function limitOf<K extends string>(
  { plugin }: Pick<PluginCore, 'plugin'>,
  options: Readonly<Record<K, number>>,
  name: K
): Limit {
  return { most: options[name], key: `plugins.${plugin}.${name}` }
}
