// Samples as rows, for tables that a user created with another schema: another time unit or number type, or no tags.
import { DbError } from '../errors.ts'
import type { Column, ColumnData } from '../model/batch.ts'
import { bitmap, setBit } from '../model/batch.ts'
import type { SeriesLabel, SeriesWrite } from '../model/series.ts'
import { convertTime } from '../model/time.ts'
import { type TimestampType, timeUnit } from '../model/types.ts'
import type { ResolvedWrite } from './engine.ts'
import { numberColumn, type SeriesGroup } from './series-group.ts'

/** The samples of these series as a write to the group's table, which exists and has a column for each label. */
export function rowsOfSeries(group: SeriesGroup, write: SeriesWrite): ResolvedWrite {
  const table = group.table!
  const labels = new Map(group.series.map(series => [series.index, series.labels]))
  const samples: number[] = []
  for (let i = 0; i < write.samples; i++) if (labels.has(write.series[i]!)) samples.push(i)
  const unit = timeUnit(table.timeIndex.type as TimestampType)
  const times = BigInt64Array.from(samples, i => convertTime(write.times[i]!, 'ms', unit))
  const columns: Column[] = [
    { name: table.timeIndex.name, type: table.timeIndex.type, semantic: 'timestamp', data: fixed(times) },
    valueColumn(group, write, samples),
    ...Array.from(group.labels, name =>
      labelColumn(
        name,
        samples.map(i => labels.get(write.series[i]!)!)
      )
    )
  ]
  return { table, rows: samples.length, columns, op: 'put' }
}

function valueColumn({ table }: SeriesGroup, write: SeriesWrite, samples: readonly number[]): Column {
  const column = numberColumn(table!, write.valueColumn)
  if (column === undefined) {
    throw new DbError(
      'InvalidArguments',
      `table ${table!.name} has no column ${write.valueColumn} and more than one field: nothing says where its samples go`
    )
  }
  const { name, type } = column
  if (type === 'Float64') {
    const bits = new BigInt64Array(write.values.buffer, write.values.byteOffset, write.values.length)
    const picked = BigInt64Array.from(samples, i => bits[i]!)
    return { name, type, semantic: 'field', data: fixed(new Float64Array(picked.buffer)) }
  }
  if (type !== 'Float32')
    throw new DbError(
      'InvalidArguments',
      `column ${name} of table ${table!.name} is ${type}, samples need Float64 or Float32`
    )
  return { name, type, semantic: 'field', data: fixed(Float32Array.from(samples, i => write.values[i]!)) }
}

function labelColumn(name: string, rows: readonly (readonly SeriesLabel[])[]): Column {
  const values = rows.map(labels => labels.find(label => label.name === name)?.value)
  const offsets = new Uint32Array(rows.length + 1)
  const valid = bitmap(rows.length, false)
  for (const [i, value] of values.entries()) {
    offsets[i + 1] = offsets[i]! + (value?.length ?? 0)
    if (value !== undefined) setBit(valid, i)
  }
  const bytes = Buffer.concat(values.filter(value => value !== undefined))
  return { name, type: 'String', semantic: 'tag', data: { kind: 'bytes', offsets, bytes, valid } }
}

function fixed(values: BigInt64Array | Float64Array | Float32Array): ColumnData {
  return { kind: 'fixed', values }
}
