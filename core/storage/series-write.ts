// A write of samples by series: known series pass as they are, the tables of new ones are made, what no series table can hold becomes rows.
import { type DbError, isDbError } from '../errors.ts'
import type { SeriesName, SeriesWrite } from '../model/series.ts'
import type { Table, TableOptions } from '../model/table.ts'
import { checkLabels } from './check-columns.ts'
import type { Catalog, ResolvedSeries, ResolvedWrite, SeriesAddition, SeriesNumbers } from './engine.ts'
import type { PlannedWrite } from './schema.ts'
import { createRoom } from './series-limit.ts'
import { rowsOfSeries } from './series-rows.ts'
import { type NamedSeries, numberColumn, seriesShape, TableShape } from './series-shape.ts'

export interface SeriesParts {
  readonly catalog: Catalog
  /** Makes and widens tables of one database, all together. */
  resolve(db: string, writes: readonly PlannedWrite[]): Promise<readonly ResolvedWrite[]>
  requireDatabase(name: string): unknown
}

/** Whose write it is, and what it may do. */
export interface SeriesRequest {
  readonly db: string
  readonly plugin: string
  readonly autoCreate: boolean
  /** Of tables that are made. */
  readonly options: TableOptions
}

export interface SeriesOutcome {
  readonly writes: readonly (ResolvedSeries | ResolvedWrite)[]
  /** What was left out of a partial write. */
  readonly refused: RefusedSeries
}

export interface RefusedSeries {
  readonly series: number
  /** Which keys of the write. */
  readonly keys: readonly number[]
  readonly samples: number
  /** Why the first of them was. */
  readonly error: DbError | undefined
}

export async function resolveSeriesWrite(
  parts: SeriesParts,
  request: SeriesRequest,
  write: SeriesWrite
): Promise<SeriesOutcome> {
  const { catalog } = parts
  const scope = [request.plugin, request.db, write.physicalTable].join('\0')
  const numbers = catalog.findSeries(scope, write.keys)
  const whole = { numbers, rows: write.samples, series: write.series, times: write.times, values: write.values }
  if (numbers.unknown.length === 0) {
    return { writes: [whole], refused: { series: 0, keys: [], samples: 0, error: undefined } }
  }
  const refusals = new Map<number, DbError>()
  const refuse = (index: number, error: unknown) => {
    if (!write.partial || !isDbError(error)) throw error
    refusals.set(index, error)
  }
  const shapes = nameSeries(parts, request, write, numbers, refuse)
  const outside = await introduce(parts, request, write, numbers, shapes)
  const apart = new Set([...refusals.keys(), ...outside.flatMap(shape => shape.series.map(({ index }) => index))])
  const rows = outside.map(shape => rowsOfSeries(shape, write))
  const writes = apart.size === 0 ? [whole] : [without(whole, apart), ...rows]
  return { writes, refused: countRefused(write, refusals) }
}

/** What the unknown keys stand for, by table; each gets a look at the limits. */
function nameSeries(
  { catalog, requireDatabase }: SeriesParts,
  { db, plugin }: SeriesRequest,
  write: SeriesWrite,
  numbers: SeriesNumbers,
  refuse: (index: number, error: unknown) => void
): readonly TableShape[] {
  const shapes: TableShape[] = []
  const databases = new Map<string, Map<string, TableShape>>()
  const open = (database: string) => {
    requireDatabase(database)
    const known = new Map<string, TableShape>()
    databases.set(database, known)
    return known
  }
  const room = createRoom(catalog, write, numbers.unknown.length)
  for (const index of numbers.unknown) {
    try {
      const name: SeriesName = write.name(index)
      checkLabels(`plugin ${plugin}, table ${name.table}`, name.labels)
      const database = name.database ?? db
      const known = databases.get(database) ?? open(database)
      const found = known.get(name.table)
      const shape = found ?? new TableShape(database, name, write, catalog.table(database, name.table))
      room.take(shape, name)
      if (found === undefined) {
        known.set(name.table, shape)
        shapes.push(shape)
      }
      shape.add({ index, labels: name.labels })
    } catch (error) {
      refuse(index, error)
    }
  }
  return shapes
}

/** Makes tables and numbers; returns the tables whose samples are written as rows. */
async function introduce(
  { catalog, resolve }: SeriesParts,
  { autoCreate, options }: SeriesRequest,
  write: SeriesWrite,
  numbers: SeriesNumbers,
  shapes: readonly TableShape[]
): Promise<readonly TableShape[]> {
  const outside: TableShape[] = []
  const additions: SeriesAddition[] = []
  for (const [database, group] of Map.groupBy(shapes, shape => shape.database)) {
    const planned = group.map(shape => ({ write: seriesShape(shape, write, options), autoCreate }))
    const resolved = await resolve(database, planned)
    for (const [i, shape] of group.entries()) {
      const { table } = resolved[i]!
      shape.table = table
      const value = numberColumn(table, write.valueColumn)
      if (isSeriesTable(table) && value?.type === 'Float64') {
        for (const addition of additionsOf(shape, table, value.name)) additions.push(addition)
      } else outside.push(shape)
    }
  }
  catalog.addSeries(numbers, additions)
  return outside
}

function additionsOf(shape: TableShape, table: Table, value: string): SeriesAddition[] {
  return shape.series.map(({ index, labels }: NamedSeries) => ({ index, table, value, labels }))
}

function isSeriesTable({ tags, timeIndex, options }: Table): boolean {
  const tagged = options.physical_table !== undefined || tags.length > 0
  return tagged && timeIndex.type === 'TimestampMillisecond' && options.ttl !== 'instant'
}

/** The samples of all series but these. */
function without(write: ResolvedSeries, apart: ReadonlySet<number>): ResolvedSeries {
  const bits = new BigInt64Array(write.values.buffer, write.values.byteOffset, write.values.length)
  const kept: number[] = []
  for (let i = 0; i < write.rows; i++) if (!apart.has(write.series[i]!)) kept.push(i)
  return {
    numbers: write.numbers,
    rows: kept.length,
    series: Uint32Array.from(kept, i => write.series[i]!),
    times: BigInt64Array.from(kept, i => write.times[i]!),
    values: new Float64Array(BigInt64Array.from(kept, i => bits[i]!).buffer)
  }
}

function countRefused(write: SeriesWrite, refusals: ReadonlyMap<number, DbError>): RefusedSeries {
  let samples = 0
  if (refusals.size > 0) for (let i = 0; i < write.samples; i++) if (refusals.has(write.series[i]!)) samples++
  const [error] = refusals.values()
  return { series: refusals.size, keys: [...refusals.keys()], samples, error }
}
