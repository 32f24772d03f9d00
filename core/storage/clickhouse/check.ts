// Checks whether a cluster can be used, for `weir config check` and for the error of a failed start. Every problem is one line with its key
// and what to do.
import { ConfigError, type ConfigProblem } from '../../config/error.ts'
import { isDbError } from '../../errors.ts'
import { createMetrics } from '../../metrics/metrics.ts'
import { type Connection, connect } from './connection.ts'
import { databaseName } from './definition.ts'
import { translate } from './errors.ts'
import { quoteName, quoteText } from './names.ts'
import { type ClickHouseConfig, oldestVersion } from './settings.ts'

/** Milliseconds an address has to answer a check. */
const maxCheckTime = 10_000

/** Required rights on the databases of this server. */
const databaseGrants = ['CREATE DATABASE', 'CREATE TABLE', 'ALTER', 'DROP', 'TRUNCATE', 'OPTIMIZE', 'SELECT', 'INSERT']

/**
 * Checks every address without changing anything. Resolves with a line for each fact an operator should know; throws ConfigError with all
 * problems.
 */
export async function checkCluster(config: ClickHouseConfig): Promise<string[]> {
  const timeout = Math.min(config.timeout, maxCheckTime)
  const problems: ConfigProblem[] = []
  const notes = new Set<string>()
  for (const [i, url] of config.urls.entries()) {
    const only = { ...config, urls: [url], timeout }
    const connection = await connect(only, createMetrics())
    try {
      const about = await checkServer(connection, only, problems)
      for (const note of about) notes.add(note)
    } catch (error) {
      const told = explainFailure(only, error)
      if (!(told instanceof ConfigError)) throw told
      for (const { path, message } of told.problems)
        problems.push({ path: path.at(-1) === 'urls' ? [...path, String(i)] : path, message })
    } finally {
      await connection.close()
    }
  }
  const different = [...new Map(problems.map(problem => [JSON.stringify(problem), problem])).values()]
  if (different.length > 0) throw new ConfigError(different)
  return [
    ...notes,
    'the tables of one request are stored one after the other: of a request that fails with 503 some rows may be there until it is repeated'
  ]
}

async function checkServer(
  connection: Connection,
  config: ClickHouseConfig,
  problems: ConfigProblem[]
): Promise<string[]> {
  const [row] = await connection.rows('SELECT version() AS version')
  const version = String(row?.['version'])
  const hasTextIndex = checkVersion(version)
  problems.push(...(await missingGrants(connection, config)), ...(await unknownCluster(connection, config)))
  if (config.reader_username !== '') problems.push(...(await wrongReader(connection, config)))
  return [
    `${config.urls[0]} is ClickHouse ${version}`,
    ...(hasTextIndex ? [] : [`ClickHouse ${version} has no text indexes (26.2): full-text indexes are tokenbf_v1`])
  ]
}

async function missingGrants(
  connection: Connection,
  { username, reader_username, database_prefix: prefix, cluster }: ClickHouseConfig
): Promise<ConfigProblem[]> {
  const own = `${quoteName(databaseName({ prefix, cluster }, 'public'))}.*`
  const wanted = [
    ...databaseGrants.map(right => [right, own, `${prefix}*.*`]),
    ['SELECT', 'system.*', 'system.*'],
    ...(cluster === '' ? [] : ['CLUSTER', 'REMOTE'].map(right => [right, '*.*', '*.*'])),
    ...(reader_username === '' ? [] : ['KILL QUERY', 'CREATE ROLE', 'ROLE ADMIN'].map(right => [right, '*.*', '*.*']))
  ] as const
  const missing: string[] = []
  for (const [right, on, said] of wanted) {
    const [row] = await connection.rows(`CHECK GRANT ${right} ON ${on}`)
    if (Number(Object.values(row ?? {})[0]) !== 1) missing.push(`GRANT ${right} ON ${said} TO ${quoteName(username)}`)
  }
  if (missing.length === 0) return []
  return [{ path: pathOf('username'), message: `user ${username} lacks rights: ${missing.join('; ')}` }]
}

async function unknownCluster(connection: Connection, { cluster }: ClickHouseConfig): Promise<ConfigProblem[]> {
  if (cluster === '') return []
  const rows = await connection.rows('SELECT DISTINCT cluster FROM system.clusters')
  const names = rows.map(row => String(row['cluster']))
  if (names.includes(cluster)) return []
  const known = names.length === 0 ? 'it has none' : `it has ${names.map(quoteText).join(', ')}`
  return [{ path: pathOf('cluster'), message: `the server knows no cluster ${quoteText(cluster)}: ${known}` }]
}

async function wrongReader(connection: Connection, config: ClickHouseConfig): Promise<ConfigProblem[]> {
  try {
    await connection.rows('SELECT 1', { confined: { roles: [] } })
  } catch (error) {
    // The database is created by the first start.
    if (codeOf(error) === '81') return []
    if (codeOf(error) !== '516') throw error
    const message = `the cluster takes no user ${config.reader_username} with this password: correct it, or storage.clickhouse.reader_username`
    return [{ path: pathOf('reader_password_file'), message }]
  }
  return []
}

/** Whether the version has text indexes. Throws ConfigError if it is too old. */
export function checkVersion(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const is = (least: readonly [number, number]) => major > least[0] || (major === least[0] && minor >= least[1])
  if (is(oldestVersion)) return is([26, 2])
  throw new ConfigError([
    {
      path: pathOf('urls'),
      message: `the cluster is ClickHouse ${version}, which has no CoalescingMergeTree: ${oldestVersion.join('.')} or newer is needed`
    }
  ])
}

/** One line with the problem and what to do about it; other errors are returned as they are. */
export function explainFailure(config: ClickHouseConfig, error: unknown): unknown {
  if (error instanceof ConfigError) return error
  const told = isDbError(error) ? error : translate(error)
  const problem = (key: string, message: string) => new ConfigError([{ path: pathOf(key), message: oneLine(message) }])
  const code = codeOf(told)
  const { username, urls, database_prefix: prefix } = config
  if (code === '516') {
    return problem(
      'password_file',
      `the cluster takes no user ${username} with this password: correct it, or storage.clickhouse.username`
    )
  }
  if (code === '497') {
    return problem(
      'username',
      `${told.message}: GRANT the user ${username} CREATE, ALTER, DROP, SELECT, INSERT, TRUNCATE and OPTIMIZE on ${prefix}*.* and SELECT on system.*`
    )
  }
  if (told.code === 'StorageUnavailable') {
    return problem(
      'urls',
      `${told.message}: no ClickHouse answers at ${urls.join(', ')}; start it or correct the address`
    )
  }
  return error
}

function codeOf(error: unknown): unknown {
  const { cause } = Object(error) as { readonly cause?: unknown }
  return (Object(cause) as { readonly code?: unknown }).code
}

function oneLine(text: string): string {
  return text
    .split('\n')
    .map(line => line.trim())
    .join(' ')
}

function pathOf(key: string): string[] {
  return ['storage', 'clickhouse', key]
}
