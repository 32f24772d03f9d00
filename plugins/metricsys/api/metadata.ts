// `metadata`: type, unit and help of metrics, as senders gave them.
import type { RequestContext, Store } from '../../../core/index.ts'
import { metadataTable } from '../write/columns.ts'
import { type ApiParameters, invalidParameter } from './parameters.ts'

/** Metadata by metric. Throws DbError `InvalidArguments`. */
export async function readMetadata(store: Store, ctx: RequestContext, parameters: ApiParameters) {
  const limit = count(parameters, 'limit')
  const perMetric = count(parameters, 'limit_per_metric')
  const metric = parameters.one('metric')
  const found: Record<string, { type: string; unit: string; help: string }[]> = {}
  const table = store.table(ctx.db, metadataTable)
  if (limit === 0 || table === undefined) return found
  const head = 'SELECT metric, type, unit, help FROM '
  const text = `${head}m ORDER BY metric, svc_timestamp DESC`
  const relations = [{ start: head.length, end: head.length + 1, table, alias: 'm' }]
  const result = await store.query(ctx, { kind: 'sql', text, relations, timezone: 'UTC' })
  for await (const { rows, columns } of result.batches()) {
    for (let row = 0; row < rows; row++) {
      const [name, type, unit, help] = columns.map(({ values }) => (values[row] as string | null) ?? '')
      if (metric !== undefined && name !== metric) continue
      const entries = found[name!] ?? []
      if (entries.length === 0 && limit !== undefined && Object.keys(found).length >= limit) continue
      if (perMetric !== undefined && perMetric > 0 && entries.length >= perMetric) continue
      const entry = { type: type!, unit: unit!, help: help! }
      if (!entries.some(other => JSON.stringify(other) === JSON.stringify(entry))) found[name!] = [...entries, entry]
    }
  }
  return found
}

function count(parameters: ApiParameters, name: string): number | undefined {
  const text = parameters.one(name)
  if (text === undefined) return undefined
  if (!/^-?\d+$/.test(text)) throw invalidParameter(name, `${name} must be a number`)
  return Number(text) < 0 ? undefined : Number(text)
}
