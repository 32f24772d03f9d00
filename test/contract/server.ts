// A whole server on free ports and a data folder of its own, for tests of plugins.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { loadConfig } from '../../core/config/load.ts'
import type { Catalogue } from '../../core/registry.ts'
import { type Running, start } from '../../core/start.ts'
import { catalogue } from '../../plugins/index.ts'

/** What definePlugin returns; the kit needs no more of its type. */
export interface AnyPlugin {
  readonly name: string
}

export interface BootOptions {
  /** Plugins of the test itself, beside the built-in ones. */
  readonly plugins?: readonly AnyPlugin[]
  /** Holds `weir.toml` and the data. Absent: a new one that `discard` removes. */
  readonly folder?: string
}

export interface TestServer extends Running {
  readonly folder: string
  /** Closes the server and removes the folder it made. */
  discard(): Promise<void>
}

/** Starts a server with this TOML; addresses, data folder and logging are the kit's own. */
export async function bootServer(toml = '', options: BootOptions = {}): Promise<TestServer> {
  const folder = options.folder ?? mkdtempSync(join(tmpdir(), 'weir-'))
  const file = join(folder, 'weir.toml')
  const remove = () => {
    if (options.folder === undefined) rmSync(folder, { recursive: true, force: true })
  }
  writeFileSync(file, toml)
  try {
    const { config, locate } = loadConfig({ file, overrides: overrides(folder) })
    const running = await start(config, withPlugins(options.plugins), { folder, locate })
    return { ...running, folder, discard: () => running.close().then(remove) }
  } catch (error) {
    remove()
    throw error
  }
}

/** What every test server is started with whatever its TOML says. */
export function overrides(folder: string) {
  return {
    http: { addr: '127.0.0.1:0', api_server_addr: '127.0.0.1:0', shutdown_grace: '1s' },
    storage: { data_home: join(folder, 'data') },
    logging: { append_stdout: false, max_log_files: 0 }
  }
}

/** The built-in catalogue and these. */
export function withPlugins(plugins: readonly AnyPlugin[] = []): Catalogue {
  return {
    ...catalogue,
    ...Object.fromEntries(plugins.map(plugin => [plugin.name, async () => ({ default: plugin })]))
  }
}
