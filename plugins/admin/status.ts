// What `/status` tells.
import { hostname } from 'node:os'
import { type Core, commit, version } from '../../core/index.ts'

/** `branch` and `rustc_version` are there for clients that ask for them; a published package knows neither. */
export function status(core: Core) {
  const { rss, heapUsed, heapTotal, external } = process.memoryUsage()
  return {
    version,
    commit,
    branch: '',
    rustc_version: '',
    node_version: process.versions.node,
    hostname: hostname(),
    pid: process.pid,
    started_at: new Date(core.startedAt).toISOString(),
    uptime_seconds: Math.floor((Date.now() - core.startedAt) / 1000),
    ready: core.whyNotReady() === undefined,
    memory: { rss, heap_used: heapUsed, heap_total: heapTotal, external },
    data: dataSize(core),
    storage_engine: core.store.engineName,
    plugins: core.plugins.map(({ name, servers }) => ({ name, servers, ...statusOf(core, name) }))
  }
}

/** How a plugin is, and those of its parts that report it. */
function statusOf(core: Core, name: string) {
  const own = core.components.list().filter(({ plugin }) => plugin === name)
  const shown = own.map(({ component, state, reason, since }) => ({
    ...(component !== undefined && { component }),
    state,
    ...(reason !== undefined && { reason }),
    since: new Date(since).toISOString()
  }))
  const parts = shown.filter(({ component }) => component !== undefined)
  return { ...shown.find(({ component }) => component === undefined), ...(parts.length > 0 && { components: parts }) }
}

/** What all tables hold at rest, in bytes; rows in memory are among the rows. */
function dataSize({ store }: Core) {
  const databases = store.databases()
  const tables = databases.flatMap(({ name }) => store.tables(name))
  const sum = { databases: databases.length, tables: tables.length, rows: 0, files: 0, bytes: 0 }
  for (const table of tables) {
    const { rows = 0, files, bytes } = store.statistics(table)
    sum.rows += rows
    sum.files += files
    sum.bytes += bytes
  }
  return sum
}
