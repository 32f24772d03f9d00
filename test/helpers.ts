// A whole server inside the test process: free ports, a data folder of its own, gone with the test.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Test } from 'tap'
import { type BootOptions, bootServer, type TestServer } from './contract/server.ts'

export { overrides, type TestServer, withPlugins } from './contract/server.ts'

/**
 * Starts a server with this TOML; ports, folders and logging are the helper's. `close` may be called before the test ends, and another
 * server started on the same `folder` if that came from `temporaryFolder`.
 */
export async function startServer(t: Test, toml = '', options: BootOptions = {}): Promise<TestServer> {
  const server = await bootServer(toml, options)
  t.teardown(() => server.discard())
  return server
}

/** Makes databases of a server that tests share, one for each; returns its name. */
export function databaseMaker({ main }: Pick<TestServer, 'main'>): () => Promise<string> {
  let made = 0
  return async () => {
    const db = `test_${++made}`
    const url = `/v1/sql?sql=${encodeURIComponent(`CREATE DATABASE ${db}`)}`
    const { statusCode, body } = await main.inject({ method: 'GET', url })
    if (statusCode !== 200) throw new Error(body)
    return db
  }
}

/** An empty folder that is removed with the test. */
export function temporaryFolder(t: Test): string {
  const folder = mkdtempSync(join(tmpdir(), 'weir-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}
