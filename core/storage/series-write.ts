// Writes samples by series: known series pass as numbers, tables of new ones are created; samples that a series table cannot hold are written as
// rows.
import { DbError, isDbError } from '../errors.ts'
import type { SeriesName, SeriesWrite } from '../model/series.ts'
import type { Table, TableOptions } from '../model/table.ts'
import { endsStep, mapPaced, type Pace, runPaced, type Steps } from '../pace.ts'
import { checkLabels } from './check-columns.ts'
import type { Catalog, ResolvedSeries, ResolvedWrite, SeriesAddition, SeriesNumbers } from './engine.ts'
import { LimitReached, type LimitsOf } from './limits.ts'
import { stepSeries } from './row-tags.ts'
import type { PlannedWrite } from './schema.ts'
import { groupSchema, numberColumn, SeriesGroup } from './series-group.ts'
import { rowsOfSeries } from './series-rows.ts'
import { createWriteQuota, seriesQuota, type TableQuota } from './write-quota.ts'

export interface SeriesDependencies {
  readonly catalog: Catalog
  /** Creates and widens tables of one database, all together. */
  resolve(db: string, writes: readonly PlannedWrite[], pace: Pace): Promise<readonly ResolvedWrite[]>
  requireDatabase(name: string): unknown
  readonly limitsOf: LimitsOf
}

/** The request that a write of samples belongs to. */
interface SeriesRequest {
  readonly db: string
  readonly plugin: string
  readonly autoCreate: boolean
  /** Options of tables that are created. */
  readonly options: TableOptions
}

interface SeriesOutcome {
  readonly writes: readonly (ResolvedSeries | ResolvedWrite)[]
  /** The samples that a partial write left out. */
  readonly refused: RefusedSeries
}

export interface RefusedSeries {
  readonly series: number
  /** Indexes of the write's keys. */
  readonly keys: readonly number[]
  readonly samples: number
  /** Why the first of them was refused. */
  readonly error: DbError | undefined
}

export async function resolveSeriesWrite(
  parts: SeriesDependencies,
  request: SeriesRequest,
  write: SeriesWrite,
  pace: Pace
): Promise<SeriesOutcome> {
  const { catalog } = parts
  const scope = [request.plugin, request.db, write.physicalTable].join('\0')
  const numbers = await runPaced(pace, catalog.findSeries(scope, write.keys))
  const whole = { numbers, rows: write.samples, series: write.series, times: write.times, values: write.values }
  if (numbers.unknown.length === 0) {
    return { writes: [whole], refused: { series: 0, keys: [], samples: 0, error: undefined } }
  }
  const refusals = new Map<number, DbError>()
  const refuse = (index: number, error: unknown) => {
    if (!write.partial || !isDbError(error)) throw error
    refusals.set(index, error)
  }
  const groups = await runPaced(pace, nameSeries(parts, request, write, numbers, refuse))
  const outside = await introduce(parts, request, write, numbers, groups, refuse, pace)
  const apart = new Set([...refusals.keys(), ...outside.flatMap(group => group.series.map(({ index }) => index))])
  const rows = await mapPaced(pace, outside, group => rowsOfSeries(group, write))
  const writes = apart.size === 0 ? [whole] : [without(whole, apart), ...rows]
  return { writes, refused: countRefused(write, refusals) }
}

/** Reads the tables and tags of unknown keys, grouped by table; each is checked against the limits. */
function* nameSeries(
  { catalog, requireDatabase, limitsOf }: SeriesDependencies,
  { db, plugin }: SeriesRequest,
  write: SeriesWrite,
  numbers: SeriesNumbers,
  refuse: (index: number, error: unknown) => void
): Steps<readonly SeriesGroup[]> {
  const groups: SeriesGroup[] = []
  const databases = new Map<string, Map<string, SeriesGroup>>()
  const open = (database: string) => {
    requireDatabase(database)
    const known = new Map<string, SeriesGroup>()
    databases.set(database, known)
    return known
  }
  const quota = createWriteQuota(catalog, limitsOf, numbers.unknown.length)
  const quotas = new Map<SeriesGroup, TableQuota>()
  const quotaOf = (group: SeriesGroup) => {
    const { database, name, physicalTable } = group
    const columns = [write.timeColumn, write.valueColumn]
    const made = quotas.get(group) ?? quota.table(database, name, { physicalTable, columns })
    quotas.set(group, made)
    return made
  }
  for (const [i, index] of numbers.unknown.entries()) {
    if (endsStep(i, stepSeries)) yield
    try {
      const name: SeriesName = write.name(index)
      checkLabels(`plugin ${plugin}, table ${name.table}`, name.labels)
      const database = name.database ?? db
      const known = databases.get(database) ?? open(database)
      const found = known.get(name.table)
      const group = found ?? new SeriesGroup(database, name, write, catalog.table(database, name.table))
      quotaOf(group).acquire(name.labels)
      if (found === undefined) {
        known.set(name.table, group)
        groups.push(group)
      }
      group.add({ index, labels: name.labels })
    } catch (error) {
      refuse(index, error)
    }
  }
  return groups
}

/** Creates tables and series numbers. Returns the tables whose samples must be written as rows. */
async function introduce(
  { catalog, resolve, limitsOf }: SeriesDependencies,
  { autoCreate, options }: SeriesRequest,
  write: SeriesWrite,
  numbers: SeriesNumbers,
  groups: readonly SeriesGroup[],
  refuse: (index: number, error: unknown) => void,
  pace: Pace
): Promise<readonly SeriesGroup[]> {
  const outside: SeriesGroup[] = []
  for (const [database, databaseGroups] of Map.groupBy(groups, group => group.database)) {
    const planned = await mapPaced(pace, databaseGroups, group => ({
      write: groupSchema(group, write, options),
      autoCreate
    }))
    const resolved = await resolve(database, planned, pace).catch(error => {
      // The retry refuses the series that no longer fit one by one.
      throw error instanceof LimitReached ? new DbError('RequestOutdated', error.message) : error
    })
    for (const [i, group] of databaseGroups.entries()) {
      const { table } = resolved[i]!
      group.table = table
      const value = numberColumn(table, write.valueColumn)
      if (!isSeriesTable(table) || value?.type !== 'Float64') outside.push(group)
      else await runPaced(pace, addSeries(catalog, limitsOf, numbers, group, { table, value: value.name }, refuse))
    }
  }
  return outside
}

function* addSeries(
  catalog: Catalog,
  limitsOf: LimitsOf,
  numbers: SeriesNumbers,
  { series }: SeriesGroup,
  of: Pick<SeriesAddition, 'table' | 'value'>,
  refuse: (index: number, error: unknown) => void
): Steps<void> {
  for (let from = 0; from < series.length; from += stepSeries) {
    const some = series.slice(from, from + stepSeries)
    // Other requests may have added series since this one was checked, so the limit is checked against the current number.
    const quota = seriesQuota(catalog, of.table, limitsOf(of.table.database).series)
    const fitting = some.filter(({ index, labels }) => {
      try {
        quota.take(labels, some.length)
        return true
      } catch (error) {
        refuse(index, error)
        return false
      }
    })
    catalog.addSeries(
      numbers,
      fitting.map(({ index, labels }) => ({ index, labels, ...of }))
    )
    yield
  }
}

function isSeriesTable({ tags, timeIndex, options }: Table): boolean {
  const tagged = options.physical_table !== undefined || tags.length > 0
  return tagged && timeIndex.type === 'TimestampMillisecond' && options.ttl !== 'instant'
}

/** The samples without those of some series. */
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
