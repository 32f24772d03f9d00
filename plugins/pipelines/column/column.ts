// All columns of a group of rows, by the pipeline's kind of transform.
import {
  type Column,
  cell,
  convertTime,
  type ItemBatch,
  type ItemField,
  isTimestamp,
  type Table,
  timeColumn,
  timestampType,
  timeUnit
} from '../../../core/compute.ts'
import type { Identity, Pipeline, TransformColumn } from '../pipeline.ts'
import { allRows, copyField } from '../run/variables.ts'
import { buildColumn } from './coerce.ts'
import { inferColumns, inferredType } from './infer.ts'
import { readTimeIndex } from './time-index.ts'

/**
 * The columns of these rows. Rows that do not fit are marked as failed, and the caller must then discard the result. `now` is in nanoseconds.
 */
export function buildColumns(
  pipeline: Pipeline | Identity,
  batch: ItemBatch,
  rows: Uint32Array,
  now: bigint,
  table: Table | undefined
): Column[] {
  if ('kind' in pipeline) return identityColumns(pipeline, batch, rows, now, table)
  const { transform } = pipeline
  if (transform.kind === 'inferred') {
    const time: TransformColumn = { ...timeIndexOf(transform.field), type: timestampType(transform.unit) }
    const except = new Set([transform.field])
    return [
      buildColumn({ batch, rows, field: batch.field(transform.field) }, time),
      ...inferColumns(batch, rows, { except, table })
    ]
  }
  if (transform.kind === 'extended') return extendedColumns(transform.columns, batch, rows, now, table)
  const columns = transform.columns.map(column => listedColumn(batch, rows, column, batch.field(column.from), now))
  const timed = columns.some(column => column.semantic === 'timestamp')
  return timed ? columns : [...columns, currentTime(rows.length, now)]
}

function listedColumn(
  batch: ItemBatch,
  rows: Uint32Array,
  column: TransformColumn,
  field: ItemField | undefined,
  now: bigint
): Column {
  const { type } = column
  const source = { batch, rows, field }
  return buildColumn(isTimestamp(type) ? { ...source, now: convertTime(now, 'ns', timeUnit(type)) } : source, column)
}

/** The listed columns, then all fields that none of them reads. */
function extendedColumns(
  listed: readonly TransformColumn[],
  batch: ItemBatch,
  rows: Uint32Array,
  now: bigint,
  table: Table | undefined
): Column[] {
  const except = new Set(listed.flatMap(({ from, to }) => [from, to]))
  const sources = new Set(listed.map(({ from }) => from))
  const columns = listed.map(column => {
    const { from, to } = column
    const left = from === to || sources.has(to) ? undefined : batch.field(to)
    const field = left === undefined ? batch.field(from) : overlaid(batch, rows, batch.field(from), left, column)
    return listedColumn(batch, rows, column, field, now)
  })
  return [...columns, ...inferColumns(batch, rows, { except, table })]
}

/** The column's source field, overridden by a field that has the column's own name. */
function overlaid(
  batch: ItemBatch,
  rows: Uint32Array,
  field: ItemField | undefined,
  over: ItemField,
  { to, type }: TransformColumn
): ItemField {
  const merged = copyField(field ?? over, allRows(batch.rows))
  for (const row of rows) {
    const kind = over.kinds[row]!
    if (kind > cell.null && inferredType(kind) !== type) {
      const found = `expected datatype: ${type}, actual datatype: ${inferredType(kind)}`
      batch.fail(row, `Column datatype mismatch. For column: ${to}, ${found}`)
    } else if (kind > cell.null) {
      merged.kinds[row] = kind
      merged.ints[row] = over.ints[row]!
      if (kind === cell.object) merged.setObject(row, over.objects![row]!)
    } else if (field === undefined) merged.setAbsent(row)
  }
  return merged
}

function identityColumns(
  { timeIndex, lenientTime }: Identity,
  batch: ItemBatch,
  rows: Uint32Array,
  now: bigint,
  table: Table | undefined
): Column[] {
  const except = new Set([timeIndex?.field ?? timeColumn])
  const others = () => inferColumns(batch, rows, { except, table })
  if (timeIndex === undefined) return [currentTime(rows.length, now), ...others()]
  const field = readTimeIndex(batch, rows, timeIndex, lenientTime)
  const column: TransformColumn = {
    ...timeIndexOf(timeIndex.field),
    type: timeIndex.type,
    onFailure: lenientTime ? 'default' : 'error'
  }
  return [listedColumn(batch, rows, column, field, now), ...others()]
}

function timeIndexOf(name: string) {
  return { from: name, to: name, semantic: 'timestamp', onFailure: 'error', where: 'time index' } as const
}

function currentTime(rows: number, now: bigint): Column {
  const values = new BigInt64Array(rows).fill(now)
  return { name: timeColumn, type: 'TimestampNanosecond', semantic: 'timestamp', data: { kind: 'fixed', values } }
}
