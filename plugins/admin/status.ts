// The content of `/status`.
import { hostname } from 'node:os'
import { type Core, commit, eachPaced, Pace, version } from '../../core/index.ts'

/** Clients of the interface expect `branch` and `rustc_version`; they are empty. */
export async function status(core: Core) {
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
    data: await dataSize(core),
    storage_engine: core.store.engineName,
    plugins: core.plugins.map(({ name, servers }) => ({ name, servers, ...statusOf(core, name) }))
  }
}

/** The state of a plugin, and of its parts. */
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

/** Bytes of all tables in files; the number of rows includes those in memory. */
async function dataSize({ store }: Core) {
  const databases = store.databases()
  const tables = databases.flatMap(({ name }) => store.tables(name))
  const sum = { databases: databases.length, tables: tables.length, rows: 0, files: 0, bytes: 0 }
  await eachPaced(new Pace(), tables, table => {
    const { rows = 0, files, bytes } = store.statistics(table)
    sum.rows += rows
    sum.files += files
    sum.bytes += bytes
  })
  return sum
}
