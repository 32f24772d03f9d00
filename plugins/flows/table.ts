// Definitions of flows as rows of a table in the private database.
import { type Column, isValid, type PluginCore, systemDatabase, type TableWrite } from '../../core/index.ts'
import type { FlowDefinition } from '../services.ts'

const table = 'flows'
const columns = ['database', 'name', 'definition'] as const

export function flowWrite(flow: FlowDefinition, op: 'put' | 'delete'): TableWrite {
  const text = (name: string, semantic: 'tag' | 'field', value: string): Column => {
    const bytes = Buffer.from(value)
    return { name, type: 'String', semantic, data: { kind: 'bytes', offsets: Uint32Array.of(0, bytes.length), bytes } }
  }
  const written: Column[] = [
    text('database', 'tag', flow.database),
    text('name', 'tag', flow.name),
    {
      // The same time in all rows, so that a flow has one row.
      name: 'created',
      type: 'TimestampMillisecond',
      semantic: 'timestamp',
      data: { kind: 'fixed', values: BigInt64Array.of(0n) }
    },
    text('definition', 'field', JSON.stringify(flow))
  ]
  return { table, rows: 1, columns: written, op, options: { ttl: 'forever', append_mode: false }, autoCreate: true }
}

export async function readFlows(core: PluginCore): Promise<FlowDefinition[]> {
  const stored = core.store.table(systemDatabase, table)
  if (stored === undefined) return []
  const ctx = core.context(systemDatabase)
  const result = await core.store.query(ctx, { kind: 'scan', table: stored, columns })
  const at = result.columns.findIndex(({ name }) => name === 'definition')
  const flows: FlowDefinition[] = []
  for await (const batch of result.batches()) {
    const { values, valid } = batch.columns[at]!
    for (let row = 0; row < batch.rows; row++) {
      if (isValid(valid, row)) flows.push(JSON.parse(String(values[row])) as FlowDefinition)
    }
  }
  return flows
}
