// Definitions of flows as rows of a table in the private database.
import { columnOf, isValid, type PluginCore, systemDatabase, type TableWrite } from '../../core/index.ts'
import type { FlowDefinition } from '../services.ts'

const table = 'flows'
const columns = ['database', 'name', 'definition'] as const

export function flowWrite(flow: FlowDefinition, op: 'put' | 'delete'): TableWrite {
  const written = [
    columnOf('database', 'tag', 'String', [flow.database]),
    columnOf('name', 'tag', 'String', [flow.name]),
    // The same time in all rows, so that a flow has one row.
    columnOf('created', 'timestamp', 'TimestampMillisecond', [0]),
    columnOf('definition', 'field', 'String', [JSON.stringify(flow)])
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
