// Starts a whole server inside the test process, on free ports, with a data folder that is removed after the test.
import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import root, { type Test } from 'tap'
import { type BootOptions, bootServer, type TestServer } from './contract/server.ts'

export { overrides, type TestServer, withPlugins } from './contract/server.ts'

/**
 * Starts a server with this TOML; ports, folders and logging are the helper's. `close` may be called before the test ends, and another
 * server started on the same `folder` if that came from `temporaryFolder`.
 */
export async function startServer(t: Test, toml = '', options: BootOptions = {}): Promise<TestServer> {
  // What a folder has in the embedded engine, a prefix of its name has in the cluster.
  const folder = options.folder ?? (onClickHouse ? temporaryFolder(t) : undefined)
  const own = folder === undefined ? options : { ...options, folder }
  const server = await bootServer(toml + clusterToml(toml, own), own)
  t.teardown(() => server.discard())
  return server
}

let shared: Promise<TestServer> | undefined

/**
 * A server without options of its own that all tests of a file share; it is emptied after each. Metrics and what plugins remember outlive
 * that: tests of these start their own.
 */
export async function sharedServer(t: Test): Promise<TestServer> {
  shared ??= startServer(root)
  const server = await shared
  t.teardown(() => emptyServer(server))
  return server
}

/** Whether suites run over a ClickHouse. */
export const onClickHouse = process.env['WEIR_TEST_CLICKHOUSE'] !== undefined

/** Options of a test that speaks of files and memory, which the embedded engine alone has. */
export const embeddedOnly = {
  skip: onClickHouse && 'of the embedded engine'
}

/** With WEIR_TEST_CLICKHOUSE, the address of a ClickHouse, servers keep their data there: suites run on it as they are. */
function clusterToml(toml: string, { folder }: BootOptions): string {
  const url = process.env['WEIR_TEST_CLICKHOUSE']
  if (url === undefined || /^\[storage/m.test(toml)) return ''
  const own = createHash('sha256').update(folder!).digest('hex').slice(0, 12)
  return `\n[storage]\nengine = "clickhouse"\n[storage.clickhouse]\nurls = ["${url}"]\ndatabase_prefix = "t${own}_"\n`
}

/** Rows of a statement, or what it changed; throws what the server says is wrong with it. `user` is a name and a password, `name:password`. */
export async function askSql({ main }: Pick<TestServer, 'main'>, sql: string, { db = 'public', user = '' } = {}) {
  const headers = user === '' ? {} : { authorization: `Basic ${Buffer.from(user).toString('base64')}` }
  const answer = await main.inject({ method: 'GET', url: `/v1/sql?${new URLSearchParams({ db, sql })}`, headers })
  const { output, error } = answer.json()
  if (output === undefined) throw new Error(error)
  return output[0].records?.rows ?? output[0]
}

/** Drops every flow, view, table and database, so that the next test finds an empty server; throws where one stays. */
export async function emptyServer(server: Pick<TestServer, 'main'>, user = ''): Promise<void> {
  const run = (sql: string) => askSql(server, sql, { user })
  for (const kind of ['FLOW', 'VIEW', 'TABLE', 'DATABASE']) {
    const list = async () => {
      const rows: [string][] = await run(`SHOW ${kind}S`)
      return rows.flat().filter(name => !standing.includes(name))
    }
    let names = await list()
    while (names.length > 0) {
      const failures: unknown[] = []
      for (const name of names) {
        const drop = `DROP ${kind} "${name.replaceAll('"', '""')}"${kind === 'DATABASE' ? ' CASCADE' : ''}`
        await run(drop).catch(error => failures.push(error))
      }
      // A physical table goes after its logical tables: the next round drops it.
      if (failures.length === names.length) throw failures[0]
      names = await list()
    }
  }
}

/** Databases that every server has. */
const standing: readonly string[] = ['public', 'information_schema', 'svc_private']

/** Makes databases of a server that tests share, one for each; returns its name. */
export function databaseMaker(server: Pick<TestServer, 'main'>): () => Promise<string> {
  let made = 0
  return async () => {
    const db = `test_${++made}`
    await askSql(server, `CREATE DATABASE ${db}`)
    return db
  }
}

/** An empty folder that is removed with the test. */
export function temporaryFolder(t: Test): string {
  const folder = mkdtempSync(join(tmpdir(), 'weir-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}
