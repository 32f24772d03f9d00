// Lists services, operations and dependencies.
import { DbError, SqlParameters } from '../../core/index.ts'
import { besideOf, type Source } from './source.ts'
import { column, type Piece, rowsOf, run, time } from './statement.ts'

interface Operation {
  readonly name: string
  readonly spanKind: string
}

/** Sorted. */
export async function listServices(source: Source, max: number): Promise<string[]> {
  const table = besideOf(source, 'services')
  if (table === undefined) return []
  const service = column(source.store.dialect, table, 'service_name')
  const pieces = [
    `SELECT DISTINCT ${service} FROM `,
    { table, alias: 's' },
    ` WHERE ${service} IS NOT NULL ORDER BY 1 LIMIT ${max + 1}`
  ]
  return (await read(source, pieces, max)).map(([name]) => String(name))
}

/** Operations, sorted; of one kind (`server`, `client` …) or of all. */
export async function listOperations(
  source: Source,
  service: string,
  kind: string | undefined,
  max: number
): Promise<Operation[]> {
  const table = besideOf(source, 'operations')
  if (table === undefined) return []
  const of = (each: string) => column(source.store.dialect, table, each)
  const [name, spanKind] = [of('span_name'), of('span_kind')]
  const parameters = new SqlParameters()
  const ofKind = kind === undefined ? '' : ` AND ${spanKind} = ${parameters.add(kindColumn(kind))}`
  const pieces = [
    `SELECT DISTINCT ${name}, ${spanKind} FROM `,
    { table, alias: 'o', where: serviceIs(service) },
    ` WHERE ${of('service_name')} = ${parameters.add(service)}${ofKind} ORDER BY 1, 2 LIMIT ${max + 1}`
  ]
  const rows = await read(source, pieces, max, parameters)
  return rows.map(([found, foundKind]) => ({ name: String(found ?? ''), spanKind: kindWord(String(foundKind ?? '')) }))
}

interface Dependency {
  readonly parent: string
  readonly child: string
  readonly callCount: number
}

/** How often each service called another one, by spans that began in a range of time. */
export async function listDependencies(source: Source, from: bigint, to: bigint, max: number): Promise<Dependency[]> {
  const {
    table,
    store: { dialect }
  } = source
  if (table === undefined) return []
  const where = { kind: 'time', from, to } as const
  const of = (alias: string, name: string) => `${alias}.${column(dialect, table, name)}`
  const between = (alias: string) =>
    `${of(alias, 'timestamp')} >= ${time(dialect, from)} AND ${of(alias, 'timestamp')} < ${time(dialect, to)}`
  const pieces = [
    `SELECT ${of('p', 'service_name')}, ${of('c', 'service_name')}, count(*) FROM `,
    { table, alias: 'c', where },
    ' JOIN ',
    { table, alias: 'p', where },
    ` ON ${of('p', 'trace_id')} = ${of('c', 'trace_id')} AND ${of('p', 'span_id')} = ${of('c', 'parent_span_id')}`,
    ` WHERE ${between('c')} AND ${between('p')} AND ${of('p', 'service_name')} <> ${of('c', 'service_name')}`,
    ` GROUP BY ALL ORDER BY 1, 2 LIMIT ${max + 1}`
  ]
  const rows = await read(source, pieces, max)
  return rows.map(([parent, child, calls]) => ({
    parent: String(parent),
    child: String(child),
    callCount: Number(calls)
  }))
}

export function serviceIs(service: string) {
  return { kind: 'equals', column: 'service_name', value: service } as const
}

export function kindColumn(kind: string): string {
  return `SPAN_KIND_${kind.toUpperCase()}`
}

/** `server`, `client` …; empty if unspecified. */
export function kindWord(kind: string): string {
  const word = kind.replace(/^SPAN_KIND_/, '').toLowerCase()
  return word === 'unspecified' ? '' : word
}

async function read(
  source: Source,
  pieces: readonly Piece[],
  max: number,
  parameters = new SqlParameters()
): Promise<(readonly unknown[])[]> {
  const rows: (readonly unknown[])[] = []
  for await (const row of rowsOf(await run(source, pieces, parameters))) rows.push(row)
  if (rows.length <= max) return rows
  throw new DbError('InvalidArguments', `the answer has more than ${max} names (plugins.jaeger.max_names)`)
}
