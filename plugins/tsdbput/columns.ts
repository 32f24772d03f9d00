// Converts points to writes, one per metric.
import {
  type Column,
  type Core,
  convertTime,
  DbError,
  endsStep,
  isExactFloat32,
  nameProblem,
  parseJson,
  type RequestContext,
  type RowTags,
  type SeriesLabel,
  type Steps,
  type Table,
  type TableColumn,
  type TableWrite,
  type TimestampType,
  timeColumn,
  timeUnit,
  valueColumn
} from '../../core/index.ts'
import type { Points } from './decode.ts'

/** Points of one step. */
const stepPoints = 8_192

/** A request to be stored. */
export interface PutRequest {
  readonly core: Core
  readonly ctx: RequestContext
  readonly points: Points
}

/** Writes for the points with these indexes. */
export function* pointWrites(request: PutRequest, indices: Uint32Array): Steps<TableWrite[]> {
  const { core, ctx, points } = request
  const groups = yield* groupByMetric(points, indices)
  const writes: TableWrite[] = []
  for (const [metric, group] of groups) {
    const name = points.metrics[metric]!
    const table = core.store.table(ctx.db, name)
    const columns = [yield* values(points, group, table), yield* times(points, group, table)]
    writes.push({ table: name, rows: group.length, columns, tags: yield* tagsOf(request, metric, group) })
    yield
  }
  return writes
}

/** Groups points by metric, keeping their order. */
export function* groupByMetric({ metricOf }: Points, indices: Uint32Array): Steps<Map<number, Uint32Array>> {
  const counts = new Map<number, number>()
  for (const [i, index] of indices.entries()) {
    if (endsStep(i, stepPoints)) yield
    const metric = metricOf[index]!
    counts.set(metric, (counts.get(metric) ?? 0) + 1)
  }
  const groups = new Map<number, Uint32Array>()
  for (const [metric, count] of counts) groups.set(metric, new Uint32Array(count))
  counts.clear()
  for (const [i, index] of indices.entries()) {
    if (endsStep(i, stepPoints)) yield
    const metric = metricOf[index]!
    const at = counts.get(metric) ?? 0
    groups.get(metric)![at] = index
    counts.set(metric, at + 1)
  }
  return groups
}

function* values({ values }: Points, group: Uint32Array, table: Table | undefined): Steps<Column> {
  const column = valueColumnOf(table)
  const { name, type } = column
  const floats = type === 'Float32' ? new Float32Array(group.length) : new Float64Array(group.length)
  for (let k = 0; k < group.length; k++) {
    if (endsStep(k, stepPoints)) yield
    const value = values[group[k]!]!
    if (type === 'Float32') checkValue(column, value)
    floats[k] = value
  }
  return fixed(name, type === 'Float32' ? type : 'Float64', 'field', floats)
}

/** The column of this name, or the table's only field if it is a float. */
export function valueColumnOf(table: Table | undefined): Pick<TableColumn, 'name' | 'type'> {
  const fields = table?.columns.filter(column => column.semantic === 'field') ?? []
  const only = fields.length === 1 && /^Float/.test(fields[0]!.type) ? fields[0] : undefined
  return fields.find(column => column.name === valueColumn) ?? only ?? float
}

/** Throws DbError `InvalidArguments` for a number that a 32-bit column cannot represent. */
export function checkValue({ name, type }: Pick<TableColumn, 'name' | 'type'>, value: number): void {
  if (type !== 'Float32' || isExactFloat32(value)) return
  throw new DbError('InvalidArguments', `value ${value} would lose digits in column ${name} of type Float32`)
}

const float = { name: valueColumn, type: 'Float64' } as const

function* times({ times }: Points, group: Uint32Array, table: Table | undefined): Steps<Column> {
  const { name, type } = table?.timeIndex ?? ({ name: timeColumn, type: 'TimestampMillisecond' } as const)
  const unit = timeUnit(type as TimestampType)
  const values = new BigInt64Array(group.length)
  for (let k = 0; k < group.length; k++) {
    if (endsStep(k, stepPoints)) yield
    values[k] = convertTime(BigInt(times[group[k]!]!), 'ms', unit)
  }
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

function* tagsOf(request: PutRequest, metric: number, group: Uint32Array): Steps<RowTags> {
  const { keys, keyOf } = request.points
  const series = new Uint32Array(group.length)
  const own = new Uint32Array(group.length)
  // Keys of one metric are contiguous.
  let count = 0
  for (let k = 0; k < group.length; k++) {
    if (endsStep(k, stepPoints)) yield
    const key = keyOf[group[k]!]!
    if (count === 0 || own[count - 1] !== key) own[count++] = key
    series[k] = count - 1
  }
  const [starts, ends] = [new Uint32Array(count), new Uint32Array(count)]
  for (let k = 0; k < count; k++) {
    if (endsStep(k, stepPoints)) yield
    starts[k] = keys.starts[own[k]!]!
    ends[k] = keys.ends[own[k]!]!
  }
  let read: ReadTags | undefined
  return {
    keys: { count, bytes: keys.bytes, starts, ends },
    series,
    labels(k) {
      read ??= createReadTags(request, metric)
      return read(own[k]!)
    }
  }
}

/** The tags of a key of one metric. Throws DbError `InvalidArguments` for tags its table cannot have. */
type ReadTags = (key: number) => readonly SeriesLabel[]

/** For a metric given by index. */
export function createReadTags({ core, ctx, points }: PutRequest, metric: number): ReadTags {
  const name = points.metrics[metric]!
  const table = core.store.table(ctx.db, name)
  const columns = new Map(table?.columns.map(column => [column.name, column]))
  const required = table?.tags.filter(tag => !tag.nullable) ?? []
  const own = ownColumns(table)
  const isFixed = table !== undefined && !(ctx.hints.autoCreate ?? core.config.auto_create_table)
  return key => {
    const labels = readLabels(points.keys.bytes.subarray(points.tags[key]!, points.keys.ends[key]!))
    for (const label of labels) {
      const wrong = nameProblem('column', label.name)
      if (wrong !== undefined) throw new DbError('InvalidArguments', wrong)
      const problem = own.includes(label.name) ? ownColumn : tagProblem(columns.get(label.name), isFixed)
      if (problem !== undefined) throw new DbError('InvalidArguments', `tag ${label.name} of metric ${name} ${problem}`)
    }
    const missing = required.find(tag => !labels.some(label => label.name === tag.name))
    if (missing !== undefined)
      throw new DbError('InvalidArguments', `tag ${missing.name} of metric ${name} is missing and takes no nulls`)
    return labels
  }
}

/** Columns that are not tags. */
export function ownColumns(table: Table | undefined): readonly string[] {
  return [valueColumn, table?.timeIndex.name ?? timeColumn]
}

const ownColumn = 'has the name of a column of its own'

/** Why a column cannot be a tag. `isFixed`: columns are not created. */
function tagProblem(column: TableColumn | undefined, isFixed: boolean): string | undefined {
  if (column === undefined) return isFixed ? 'is not a column of its table, and auto_create_table is off' : undefined
  if (column.semantic !== 'tag') return ownColumn
  return column.type === 'String' ? undefined : `is ${column.type} in its table, tags are texts`
}

/** Tags with an empty value are left out. */
function readLabels(json: Uint8Array): readonly SeriesLabel[] {
  const tags = parseJson(json) as Readonly<Record<string, string>>
  return Object.entries(tags).flatMap(([name, text]) => (text === '' ? [] : [{ name, value: Buffer.from(text) }]))
}
