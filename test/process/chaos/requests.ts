// The requests of a chaos run: where they go, what they carry, and which rows they make.
import type { Portion } from './ledger.ts'
import { keysPerSender, newestTable } from './newest.ts'
import type { Random } from './random.ts'

export interface ChaosRequest {
  readonly path: string
  readonly contentType: string
  readonly body: string
}

export type Kind = 'events' | 'audit' | 'lines' | 'rows' | 'newest'

export const kinds: readonly Kind[] = ['events', 'audit', 'lines', 'lines', 'rows', 'newest']

/** Tables that may be dropped, by the kind that writes to them. */
export const droppable: readonly (readonly [Kind, string])[] = [
  ['events', 'chaos_events'],
  ['audit', 'chaos_audit'],
  ['lines', 'chaos_lines_a'],
  ['lines', 'chaos_lines_b'],
  ['lines', 'chaos_lines_c'],
  ['rows', 'chaos_rows']
]

export const pipelineName = 'chaos_lines'

export const pipeline = `processors:
  - dissect:
      field: message
      pattern: '%{request} %{item} %{shard} %{note}'
transform:
  - { fields: [request, item], type: int64 }
  - { fields: [shard, note], type: string }
table_suffix: _\${shard}
`

/** Tables that SQL writes to; the others are made by their first request. */
export const tableStatements = `CREATE TABLE IF NOT EXISTS chaos_rows (request BIGINT, item BIGINT, note STRING, at TIMESTAMP(3) TIME INDEX)
  WITH (append_mode = 'true');
CREATE TABLE IF NOT EXISTS ${newestTable} (sender BIGINT, slot BIGINT, request BIGINT, note STRING, at TIMESTAMP(3) TIME INDEX,
  PRIMARY KEY (sender, slot))`

interface Item {
  readonly item: number
  readonly table: string
  readonly note: string
}

/** What a request will carry, before it has a number. */
export interface Draft {
  readonly kind: Kind
  readonly items: readonly Item[]
}

export function draft(kind: Kind, random: Random): Draft {
  if (kind === 'newest') return { kind, items: [] }
  const shards = ['a', 'b', 'c'].filter(() => random.chance(0.7))
  const table = () =>
    kind === 'lines' ? `chaos_lines_${random.pick(shards.length > 0 ? shards : ['a'])}` : `chaos_${kind}`
  const longest = random.chance(0.2) ? 3000 : 80
  const items = Array.from({ length: random.between(1, 30) }, (_, item) => {
    const note = random.pick(['x', 'yz', 'ä']).repeat(random.between(1, longest))
    return { item, table: table(), note }
  })
  return { kind, items }
}

export function portions({ items }: Draft): Map<string, Portion> {
  const byTable = Map.groupBy(items, ({ table }) => table)
  return new Map(
    [...byTable].map(([table, items]) => {
      const characters = items.reduce((sum, { note }) => sum + note.length, 0)
      return [table, { rows: items.length, characters }]
    })
  )
}

export function request({ kind, items }: Draft, id: number, sender: number): ChaosRequest {
  if (kind === 'lines') {
    const lines = items.map(({ item, table, note }) => `${id} ${item} ${table.at(-1)} ${note}`)
    const path = `/v1/ingest?table=chaos_lines&pipeline_name=${pipelineName}`
    return { path, contentType: 'text/plain', body: lines.join('\n') }
  }
  if (kind === 'rows') {
    const values = items.map(({ item, note }) => `(${id}, ${item}, '${note}', ${item})`)
    return insert(`INSERT INTO chaos_rows (request, item, note, at) VALUES ${values.join(', ')}`)
  }
  if (kind === 'newest') {
    const values = Array.from(
      { length: keysPerSender },
      (_, slot) => `(${sender}, ${slot}, ${id}, 'of ${id}', ${slot})`
    )
    return insert(`INSERT INTO ${newestTable} (sender, slot, request, note, at) VALUES ${values.join(', ')}`)
  }
  const lines = items.map(({ item, note }) => JSON.stringify({ request: id, item, note }))
  const path = `/v1/ingest?table=chaos_${kind}&pipeline_name=svc_identity`
  return { path, contentType: 'application/x-ndjson', body: lines.join('\n') }
}

function insert(statement: string): ChaosRequest {
  const body = new URLSearchParams({ sql: statement }).toString()
  return { path: '/v1/sql', contentType: 'application/x-www-form-urlencoded', body }
}
