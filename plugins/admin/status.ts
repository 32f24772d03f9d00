// What `/status` tells.
import { hostname } from 'node:os'
import { type Core, commit, version } from '../../core/index.ts'

/** `branch` and `rustc_version` are there for clients that ask for them; a published package knows neither. */
export function status(core: Core) {
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
    storage_engine: core.store.engineName,
    plugins: core.plugins.map(({ name, servers }) => ({ name, servers }))
  }
}
