// Stored pipelines and dry runs.
import { hasOwnTable } from './catalog.ts'
import { json } from './http.ts'
import { rowsOf } from './sql.ts'

const root = '/v1/pipelines'

export interface Version {
  readonly name: string
  /** The time it was made. */
  readonly version: string
}

/** All versions of all pipelines, by name, the newest first. */
export async function listVersions(signal?: AbortSignal): Promise<readonly Version[]> {
  if (!(await hasOwnTable('pipelines', { signal }))) return []
  const rows = await rowsOf<{ name: string; created: number | bigint }>(
    'SELECT name, epoch_ns(created_at) AS created FROM svc_private.pipelines ORDER BY name, created_at DESC',
    { signal }
  )
  return rows.map(({ name, created }) => ({ name, version: versionText(BigInt(created)) }))
}

/** As the server writes it: with nanoseconds, without a zone. */
function versionText(nanoseconds: bigint): string {
  const whole = new Date(Number(nanoseconds / 1_000_000_000n) * 1000).toISOString().slice(0, 19).replace('T', ' ')
  const rest = String(nanoseconds % 1_000_000_000n).padStart(9, '0')
  return rest === '000000000' ? whole : `${whole}.${rest}`
}

interface Reply {
  readonly pipelines: readonly (Version & { readonly pipeline?: string })[]
}

export async function readPipeline(name: string, version: string | undefined, signal?: AbortSignal): Promise<string> {
  const reply = await json<Reply>(`${root}/${encodeURIComponent(name)}`, { query: { version }, signal })
  return reply.pipelines[0]?.pipeline ?? ''
}

/** Stores a new version and returns it. */
export async function savePipeline(name: string, yaml: string): Promise<string> {
  const headers = { 'content-type': 'application/x-yaml' }
  const reply = await json<Reply>(`${root}/${encodeURIComponent(name)}`, { body: yaml, headers })
  return reply.pipelines[0]!.version
}

export async function removeVersion(name: string, version: string): Promise<void> {
  await json<Reply>(`${root}/${encodeURIComponent(name)}`, { method: 'DELETE', query: { version } })
}

export async function ddlOf(name: string, table: string, version: string | undefined): Promise<string> {
  const path = `${root}/${encodeURIComponent(name)}/ddl`
  return (await json<{ sql: { sql: string } }>(path, { query: { table, version } })).sql.sql
}

export interface Step {
  readonly kind: string
  readonly where: string
  readonly record?: unknown
  readonly error?: string
  readonly dropped?: boolean
  readonly pipeline?: string
  readonly table_name?: string
}

export interface DryRun {
  readonly output: readonly {
    readonly table_name: string
    readonly schema: readonly { readonly name: string; readonly data_type: string; readonly column_type: string }[]
    readonly rows: readonly (readonly { readonly value: unknown }[])[]
  }[]
  readonly trace: readonly {
    readonly index: number
    readonly input: unknown
    readonly steps: readonly Step[]
    readonly error?: string
  }[]
  /** Entries of the document that have no effect. */
  readonly warnings?: readonly { readonly message: string }[]
}

export async function dryRun(pipeline: string, data: string, type: string, signal?: AbortSignal): Promise<DryRun> {
  const body = JSON.stringify({ pipeline, data, data_type: type, trace: true })
  return json<DryRun>(`${root}/_dryrun`, { body, headers: { 'content-type': 'application/json' }, signal })
}
