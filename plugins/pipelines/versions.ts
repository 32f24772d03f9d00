// Stored documents: a table in the private database, kept in memory as well.
import {
  authoriseAll,
  columnOf,
  every,
  isValid,
  type PluginCore,
  type RequestContext,
  type ResultBatch,
  systemDatabase,
  type TableWrite
} from '../../core/index.ts'
import type { Version } from './runner.ts'
import { currentTime } from './version.ts'

const table = 'pipelines'
const names = ['name', 'schema', 'content_type', 'pipeline', 'created_at'] as const

interface Versions {
  /** The latest version, or the one created at a time; undefined if there is none. */
  find(name: string, created?: bigint): Version | undefined
  /** The latest version of each. */
  latest(): readonly Version[]
  add(ctx: RequestContext, name: string, yaml: string): Promise<Version>
  /** False where there is no such version. */
  remove(ctx: RequestContext, name: string, created: bigint): Promise<boolean>
  close(): void
}

/** Milliseconds between two reads of the versions that other processes store. */
const refreshInterval = 5_000

/** Reads all versions at the start. Afterwards memory is authoritative, unless other processes store pipelines, too. */
export async function openVersions(core: PluginCore): Promise<Versions> {
  // By name, oldest first.
  const known = new Map<string, Version[]>()
  for (const version of await readAll(core)) insert(known, version)
  let last = 0n
  let changes = 0
  const refresh = async () => {
    const before = changes
    const read = await readAll(core)
    // The read overlapped with a change of this process and may lack it.
    if (before !== changes) return
    known.clear()
    for (const version of read) insert(known, version)
  }
  const fail = (error: unknown) => core.log.warn({ err: error }, 'pipelines of other processes could not be read')
  const timer = core.store.isShared ? every(refreshInterval, () => void refresh().catch(fail)).unref() : undefined

  const write = (ctx: RequestContext, version: Version, op: 'put' | 'delete') => {
    authoriseAll(ctx.user, 'write')
    changes++
    return core.system.write(core.plugin, [versionWrite(version, op)])
  }
  return {
    find(name, created) {
      const list = known.get(name) ?? []
      return created === undefined ? list.at(-1) : list.find(version => version.created === created)
    },
    latest: () => [...known.values()].flatMap(list => list.at(-1) ?? []),
    async add(ctx, name, yaml) {
      const now = currentTime()
      last = now > last ? now : last + 1n
      const version = { name, created: last, yaml }
      await write(ctx, version, 'put')
      changes++
      insert(known, version)
      return version
    },
    async remove(ctx, name, created) {
      const version = known.get(name)?.find(candidate => candidate.created === created)
      if (version === undefined) return false
      await write(ctx, version, 'delete')
      changes++
      known.set(
        name,
        known.get(name)!.filter(candidate => candidate !== version)
      )
      return true
    },
    close: () => timer?.stop()
  }
}

function insert(known: Map<string, Version[]>, version: Version): void {
  const list = known.get(version.name) ?? []
  // They mostly come in order.
  list.splice(list.findLastIndex(other => other.created <= version.created) + 1, 0, version)
  known.set(version.name, list)
}

function versionWrite(version: Version, op: 'put' | 'delete'): TableWrite {
  const columns = [
    columnOf('name', 'tag', 'String', [version.name]),
    columnOf('schema', 'tag', 'String', ['']),
    columnOf('content_type', 'tag', 'String', ['yaml']),
    columnOf('pipeline', 'field', 'String', [version.yaml]),
    columnOf('created_at', 'timestamp', 'TimestampNanosecond', [version.created])
  ]
  return { table, rows: 1, columns, op, options: { ttl: 'forever', append_mode: false }, autoCreate: true }
}

async function readAll(core: PluginCore): Promise<Version[]> {
  const stored = core.store.table(systemDatabase, table)
  if (stored === undefined) return []
  const result = await core.store.query(core.context(systemDatabase), {
    kind: 'scan',
    table: stored,
    columns: names
  })
  const indices = names.map(name => result.columns.findIndex(column => column.name === name))
  const versions: Version[] = []
  for await (const batch of result.batches()) {
    for (const version of readBatch(batch, indices)) versions.push(version)
  }
  return versions
}

function readBatch(batch: ResultBatch, indices: readonly number[]): Version[] {
  const cell = (column: number, row: number): unknown => {
    const vector = batch.columns[indices[column]!]!
    return isValid(vector.valid, row) ? vector.values[row] : undefined
  }
  const versions: Version[] = []
  for (let row = 0; row < batch.rows; row++) {
    const created = cell(4, row)
    if (typeof created !== 'bigint') continue
    versions.push({ name: String(cell(0, row)), yaml: String(cell(3, row) ?? ''), created })
  }
  return versions
}
