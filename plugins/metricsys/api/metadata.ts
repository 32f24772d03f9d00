// `metadata`: type, unit and help of metrics, as senders gave them.
import {
  endsStep,
  Pace,
  type RequestContext,
  type ResultBatch,
  runPaced,
  type Steps,
  type Store
} from '../../../core/index.ts'
import { metadataTable } from '../write/columns.ts'
import { type ApiParameters, invalidParameter } from './parameters.ts'

/** Rows handled in a step. */
const stepRows = 256

type Metadata = ReadonlyMap<string, readonly Entry[]>

interface Entry {
  readonly type: string
  readonly unit: string
  readonly help: string
}

/** Metadata by metric, the latest first. Throws DbError `InvalidArguments`. */
export async function readMetadata(store: Store, ctx: RequestContext, parameters: ApiParameters): Promise<Metadata> {
  const limit = count(parameters, 'limit')
  const perMetric = count(parameters, 'limit_per_metric') || undefined
  const metric = parameters.one('metric')
  const found = new Map<string, Entry[]>()
  const table = store.table(ctx.db, metadataTable)
  if (limit === 0 || table === undefined) return found
  const head = 'SELECT metric, type, unit, help FROM '
  const text = `${head}m ORDER BY metric, svc_timestamp DESC`
  const relations = [{ start: head.length, end: head.length + 1, table, alias: 'm' }]
  const result = await store.query(ctx, { kind: 'sql', text, relations, timezone: 'UTC' })
  const pace = new Pace(ctx)
  /** Entries of the last metric, as JSON. */
  let known = new Set<string>()
  for await (const batch of result.batches()) await runPaced(pace, addRows(batch))
  return found

  function* addRows({ rows, columns }: ResultBatch): Steps<void> {
    for (let row = 0; row < rows; row++) {
      if (endsStep(row, stepRows)) yield
      const [name = '', type = '', unit = '', help = ''] = columns.map(
        ({ values }) => (values[row] as string | null) ?? ''
      )
      if (metric !== undefined && name !== metric) continue
      let entries = found.get(name)
      if (entries === undefined) {
        if (limit !== undefined && found.size >= limit) continue
        entries = []
        found.set(name, entries)
        known = new Set()
      }
      if (perMetric !== undefined && entries.length >= perMetric) continue
      const key = JSON.stringify([type, unit, help])
      if (known.has(key)) continue
      known.add(key)
      entries.push({ type, unit, help })
    }
  }
}

function count(parameters: ApiParameters, name: string): number | undefined {
  const text = parameters.one(name)
  if (text === undefined) return undefined
  if (!/^-?\d+$/.test(text)) throw invalidParameter(name, `${name} must be a number`)
  return Number(text) < 0 ? undefined : Number(text)
}
