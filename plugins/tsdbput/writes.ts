// Points to writes, one for each metric.
import {
  type Column,
  type Core,
  checkTables,
  convertTime,
  createGrowth,
  DbError,
  isExactFloat32,
  nameProblem,
  parseJson,
  type RequestContext,
  type RowTags,
  type SeriesLabel,
  type Table,
  type TableColumn,
  type TableLimits,
  type TableWrite,
  type TimestampType,
  timeUnit
} from '../../core/index.ts'
import type { Points } from './decode.ts'

const timeColumn = 'svc_timestamp'
const valueColumn = 'svc_value'

/** A request on its way to the store. */
export interface PutRequest {
  readonly core: Core
  readonly ctx: RequestContext
  readonly limits: TableLimits
  readonly points: Points
}

/** Of these points, by place. Throws DbError `InvalidArguments` where there is no room for a metric. */
export function pointWrites(request: PutRequest, places: readonly number[]): TableWrite[] {
  const { core, ctx, limits, points } = request
  const groups = [...Map.groupBy(places, i => points.metricOf[i]!)]
  const names = groups.map(([metric]) => points.metrics[metric]!)
  checkTables(core.store, ctx.db, names, limits)
  return groups.map(([metric, group]) => {
    const name = points.metrics[metric]!
    const table = core.store.table(ctx.db, name)
    const columns = [values(points, group, table), times(points, group, table)]
    return { table: name, rows: group.length, columns, tags: tagsOf(request, metric, group) }
  })
}

function values({ values }: Points, group: readonly number[], table: Table | undefined): Column {
  const column = valueColumnOf(table)
  const { name, type } = column
  if (type !== 'Float32') {
    const floats = Float64Array.from(group, i => values[i]!)
    return fixed(name, 'Float64', 'field', floats)
  }
  for (const i of group) checkValue(column, values[i]!)
  const floats = Float32Array.from(group, i => values[i]!)
  return fixed(name, type, 'field', floats)
}

/** The column of this name, or the only field of the table if that holds floats. */
export function valueColumnOf(table: Table | undefined): Pick<TableColumn, 'name' | 'type'> {
  const fields = table?.columns.filter(column => column.semantic === 'field') ?? []
  const only = fields.length === 1 && /^Float/.test(fields[0]!.type) ? fields[0] : undefined
  return fields.find(column => column.name === valueColumn) ?? only ?? float
}

/** Throws DbError `InvalidArguments` for digits that a column of 32 bits does not hold. */
export function checkValue({ name, type }: Pick<TableColumn, 'name' | 'type'>, value: number): void {
  if (type !== 'Float32' || isExactFloat32(value)) return
  throw invalid(`value ${value} would lose digits in column ${name} of type Float32`)
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

function tagsOf(request: PutRequest, metric: number, group: readonly number[]): RowTags {
  const { bytes, starts, ends } = request.points.keys
  const at = (list: Uint32Array) => Uint32Array.from(group, i => list[i]!)
  let read: ReadTags | undefined
  return {
    keys: { count: group.length, bytes, starts: at(starts), ends: at(ends) },
    series: Uint32Array.from(group, (_, k) => k),
    labels(k) {
      read ??= createReadTags(request, metric)
      return read(group[k]!)
    }
  }
}

/** The tags of a point of one metric. Throws DbError `InvalidArguments` for those its table cannot take. */
export type ReadTags = (point: number) => readonly SeriesLabel[]

/** Counts what the points add to the table of a metric, by its place, as they are read. */
export function createReadTags({ core, ctx, limits, points }: PutRequest, metric: number): ReadTags {
  const name = points.metrics[metric]!
  const table = core.store.table(ctx.db, name)
  const columns = new Map(table?.columns.map(column => [column.name, column]))
  const required = table?.tags.filter(tag => !tag.nullable) ?? []
  const own = [valueColumn, table?.timeIndex.name ?? timeColumn]
  const isFixed = table !== undefined && !(ctx.hints.autoCreate ?? core.config.auto_create_table)
  const growth = createGrowth(core.store, ctx.db, name, limits)
  return point => {
    if (table === undefined) growth.addColumns(own)
    const labels = readLabels(points.keys.bytes.subarray(points.tags[point]!, points.keys.ends[point]!))
    for (const label of labels) {
      const wrong = nameProblem('column', label.name)
      if (wrong !== undefined) throw invalid(wrong)
      const problem = own.includes(label.name) ? ownColumn : tagProblem(columns.get(label.name), isFixed)
      if (problem !== undefined) throw invalid(`tag ${label.name} of metric ${name} ${problem}`)
    }
    const missing = required.find(tag => !labels.some(label => label.name === tag.name))
    if (missing !== undefined) throw invalid(`tag ${missing.name} of metric ${name} is missing and takes no nulls`)
    growth.addTags(labels)
    return labels
  }
}

const ownColumn = 'has the name of a column of its own'

/** Why a column cannot take a tag. `isFixed`: columns are not made. */
function tagProblem(column: TableColumn | undefined, isFixed: boolean): string | undefined {
  if (column === undefined) return isFixed ? 'is no column of its table, and auto_create_table is off' : undefined
  if (column.semantic !== 'tag') return ownColumn
  return column.type === 'String' ? undefined : `is ${column.type} in its table, tags are texts`
}

/** Tags without a value are none. */
function readLabels(json: Uint8Array): readonly SeriesLabel[] {
  const tags = parseJson(json) as Readonly<Record<string, string>>
  return Object.entries(tags).flatMap(([name, text]) => (text === '' ? [] : [{ name, value: Buffer.from(text) }]))
}

function invalid(message: string): DbError {
  return new DbError('InvalidArguments', message)
}
