// A whole server inside the test process: free ports, a data folder of its own, gone with the test.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Test } from 'tap'
import { loadConfig } from '../core/config/load.ts'
import type { PluginSpec } from '../core/plugin.ts'
import type { Catalogue } from '../core/registry.ts'
import { type Running, start } from '../core/start.ts'
import { catalogue } from '../plugins/index.ts'

export interface ServerOptions {
  /** Plugins of the test itself, beside the built-in ones. */
  readonly plugins?: readonly object[]
  /** Start on the data of an earlier server. */
  readonly folder?: string
}

export interface TestServer extends Running {
  /** Holds `weir.toml` and the data. */
  readonly folder: string
}

/** Starts a server with this TOML; ports, folders and logging are the helper's. `close` may be called before the test ends. */
export async function startServer(t: Test, toml = '', options: ServerOptions = {}): Promise<TestServer> {
  const folder = options.folder ?? temporaryFolder(t)
  const file = join(folder, 'weir.toml')
  writeFileSync(file, toml)
  const { config, locate } = loadConfig({ file, overrides: overrides(folder) })
  const running = await start(config, withPlugins(options.plugins), { folder, locate })
  t.teardown(() => running.close())
  return { ...running, folder }
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
export function withPlugins(plugins: readonly object[] = []): Catalogue {
  const extra = (plugins as PluginSpec[]).map(plugin => [plugin.name, async () => ({ default: plugin })])
  return { ...catalogue, ...Object.fromEntries(extra) }
}

/** An empty folder that is removed with the test. */
export function temporaryFolder(t: Test): string {
  const folder = mkdtempSync(join(tmpdir(), 'weir-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}
