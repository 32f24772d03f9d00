// Points to writes, one for each metric.
import {
  type Column,
  type Core,
  checkGrowth,
  convertTime,
  DbError,
  parseJson,
  type RequestContext,
  type RowTags,
  type SeriesLabel,
  type Table,
  type TableWrite,
  type TimestampType,
  timeUnit
} from '../../core/index.ts'
import type { Points } from './decode.ts'

const timeColumn = 'svc_timestamp'
const valueColumn = 'svc_value'

export interface PutLimits {
  readonly max_series: number
  readonly max_columns: number
  readonly max_tables: number
}

/** A request on its way to the store. */
export interface PutRequest {
  readonly core: Core
  readonly ctx: RequestContext
  readonly limits: PutLimits
  readonly points: Points
}

/** Of these points, by place. Throws DbError `InvalidArguments` where there is no room for a metric. */
export function pointWrites(request: PutRequest, places: readonly number[]): TableWrite[] {
  const { core, ctx, limits, points } = request
  const groups = [...Map.groupBy(places, i => points.metricOf[i]!)]
  const tables = groups.map(([metric]) => core.store.table(ctx.db, points.metrics[metric]!))
  const added = tables.filter(table => table === undefined).length
  if (added > 0 && core.store.tables(ctx.db).length + added > limits.max_tables) {
    throw invalid(`there are ${limits.max_tables} tables already (plugins.tsdbput.max_tables)`)
  }
  return groups.map(([metric, group], i) => {
    const table = tables[i]
    const columns = [values(points, group, table), times(points, group, table)]
    const name = points.metrics[metric]!
    return { table: name, rows: group.length, columns, tags: tagsOf(request, name, group, table) }
  })
}

/** The column of this name, or the only field of the table if that holds floats. */
function values({ values }: Points, group: readonly number[], table: Table | undefined): Column {
  const fields = table?.columns.filter(column => column.semantic === 'field') ?? []
  const only = fields.length === 1 && /^Float/.test(fields[0]!.type) ? fields[0] : undefined
  const { name, type } = fields.find(column => column.name === valueColumn) ?? only ?? float
  if (type === 'Float32')
    return fixed(
      name,
      type,
      'field',
      Float32Array.from(group, i => values[i]!)
    )
  return fixed(
    name,
    'Float64',
    'field',
    Float64Array.from(group, i => values[i]!)
  )
}

const float = { name: valueColumn, type: 'Float64' } as const

function times({ times }: Points, group: readonly number[], table: Table | undefined): Column {
  const { name, type } = table?.timeIndex ?? ({ name: timeColumn, type: 'TimestampMillisecond' } as const)
  const unit = timeUnit(type as TimestampType)
  const values = BigInt64Array.from(group, i => convertTime(BigInt(times[i]!), 'ms', unit))
  return fixed(name, type, 'timestamp', values)
}

function fixed(
  name: string,
  type: Column['type'],
  semantic: Column['semantic'],
  values: Float64Array | Float32Array | BigInt64Array
): Column {
  return { name, type, semantic, data: { kind: 'fixed', values } }
}

function tagsOf(
  { core, ctx, limits, points }: PutRequest,
  metric: string,
  group: readonly number[],
  table: Table | undefined
): RowTags {
  const { bytes, starts, ends } = points.keys
  const at = (list: Uint32Array) => Uint32Array.from(group, i => list[i]!)
  const growth = {
    columns: { most: limits.max_columns, key: 'plugins.tsdbput.max_columns' },
    series: { most: limits.max_series, key: 'plugins.tsdbput.max_series' }
  }
  const own = [valueColumn, table?.timeIndex.name ?? timeColumn]
  return {
    keys: { count: group.length, bytes, starts: at(starts), ends: at(ends) },
    series: Uint32Array.from(group, (_, k) => k),
    labels(k) {
      const i = group[k]!
      const labels = readLabels(bytes.subarray(points.tags[i]!, ends[i]!))
      const taken = labels.find(({ name }) => own.includes(name))
      if (taken !== undefined)
        throw invalid(`tag ${taken.name} of metric ${metric} has the name of a column of its own`)
      checkGrowth(core.store, ctx.db, metric, [...own, ...labels.map(({ name }) => name)], growth, labels)
      return labels
    }
  }
}

/** Tags without a value are none. */
function readLabels(json: Uint8Array): readonly SeriesLabel[] {
  const tags = parseJson(json) as Readonly<Record<string, string>>
  return Object.entries(tags).flatMap(([name, text]) => (text === '' ? [] : [{ name, value: Buffer.from(text) }]))
}

function invalid(message: string): DbError {
  return new DbError('InvalidArguments', message)
}
