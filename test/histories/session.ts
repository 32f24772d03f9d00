// Opens an engine with a store, and reads tables both by SQL and by series queries.
import pino from 'pino'
import { loadConfig } from '../../core/config/load.ts'
import type { RequestContext } from '../../core/http/context.ts'
import { createMetrics } from '../../core/metrics/metrics.ts'
import { isValid, type ResultBatch } from '../../core/model/batch.ts'
import type { Table } from '../../core/model/table.ts'
import type { Condition, Engine, QueryResult, SeriesQuery } from '../../core/storage/engine.ts'
import { createStores, type Store } from '../../core/storage/store.ts'
import type { FoundRow, TableKind } from './model.ts'
import { idColumn } from './model.ts'

/** An open engine over a folder; `choice` tells apart settings worth trying, such as small memtables. A module's export `openEngine`. */
export type OpenEngine = (folder: string, choice: number) => Promise<Engine>

export const context: RequestContext = {
  db: 'public',
  user: { name: 'histories', mode: 'rw' },
  channel: 'internal',
  timezone: 'UTC',
  signal: new AbortController().signal,
  log: pino({ level: 'silent' }),
  plugin: 'histories',
  hints: { options: {} }
}

export interface Session {
  readonly engine: Engine
  readonly store: Store
}

export function sessionOver(engine: Engine): Session {
  const { config } = loadConfig()
  return { engine, store: createStores({ engine, config, metrics: createMetrics() }).store }
}

/** Time and tags, as the model names a row. */
export function keyOf(
  kind: TableKind,
  time: string,
  tags: readonly (readonly [name: string, value: string])[]
): string {
  if (kind === 'append') return time
  return [time, ...tags.map(tag => tag.join('=')).sort()].join(',')
}

export interface SqlRead {
  readonly columns?: readonly string[]
  readonly where?: Condition
}

export class DoubleRow extends Error {}

/** All rows of a table, or those a condition may leave; throws `DoubleRow` for two with one key. */
export async function readBySql(
  { store }: Session,
  table: Table,
  kind: TableKind,
  { columns, where }: SqlRead = {}
): Promise<Map<string, FoundRow>> {
  const named = table.columns.filter(({ name }) => columns === undefined || columns.includes(name))
  const list = named.map(({ physical }) => `"${physical}"`).join(', ')
  const text = `SELECT ${list} FROM @`
  const relation = { start: text.length - 1, end: text.length, table, alias: 't' }
  const relations = [{ ...relation, ...(columns && { columns }), ...(where && { where }) }]
  const result = await store.query(context, { kind: 'sql', text, relations, timezone: 'UTC' })
  const tags = new Set(table.tags.map(({ name }) => name))
  const rows = new Map<string, FoundRow>()
  for await (const batch of result.batches()) {
    for (let i = 0; i < batch.rows; i++) {
      const cells = named.flatMap(({ name }, c) => {
        const text = textAt(result, batch, c, i)
        return text === undefined ? [] : [[name, text] as const]
      })
      const time = cells.find(([name]) => name === table.timeIndex.name)![1]
      const key = keyOf(
        kind,
        time,
        cells.filter(([name]) => tags.has(name))
      )
      const fields = cells.filter(([name]) => !tags.has(name) && name !== table.timeIndex.name)
      addRow(rows, key, new Map(fields.map(([name, text]) => [name === valueColumn ? idColumn : name, text])))
    }
  }
  return rows
}

/** Column of samples written by series: the number of the write. */
export const valueColumn = 'value'

export async function countBySql({ store }: Session, table: Table): Promise<number> {
  const text = 'SELECT count(*) FROM @'
  const relations = [{ start: text.length - 1, end: text.length, table, alias: 't' }]
  const result = await store.query(context, { kind: 'sql', text, relations, timezone: 'UTC' })
  for await (const { columns, rows } of result.batches()) if (rows > 0) return Number(columns[0]!.values[0])
  throw new Error('a count has no row')
}

/** The number of the write in every row of the chosen series, of several tables with the same columns at once. */
export async function readBySeries(
  { store }: Session,
  tables: readonly Table[],
  matches: SeriesQuery['matches'] = []
): Promise<ReadonlyMap<string, ReadonlyMap<string, FoundRow>>> {
  const [table, ...others] = tables as [Table, ...Table[]]
  const value = table.columns.some(({ name }) => name === valueColumn) ? valueColumn : idColumn
  const query: SeriesQuery = { kind: 'series', table, matches, values: [value], ...(others.length > 0 && { others }) }
  const result = await store.query(context, query)
  const found = new Map(tables.map(({ name }) => [name, new Map<string, FoundRow>()]))
  for await (const batch of result.batches()) {
    for (let i = 0; i < batch.rows; i++) {
      const { table, names, values } = result.labels!(Number(batch.columns[0]!.values[i]))
      const time = String(batch.columns[1]!.values[i])
      const tags = names.map((name, n) => [name, values[n]!] as const)
      addRow(found.get(table.name)!, keyOf('series', time, tags), new Map([[idColumn, textAt(result, batch, 2, i)!]]))
    }
  }
  return found
}

function addRow(rows: Map<string, FoundRow>, key: string, row: FoundRow): void {
  if (rows.has(key)) throw new DoubleRow(`row ${key} comes twice`)
  rows.set(key, row)
}

function textAt(result: QueryResult, { columns }: ResultBatch, column: number, row: number): string | undefined {
  const { values, valid } = columns[column]!
  const value = isValid(valid, row) ? values[row] : null
  if (value === null || value === undefined) return undefined
  return result.columns[column]!.type === 'Boolean' ? String(Boolean(value)) : String(value)
}
