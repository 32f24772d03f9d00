// From samples of known series to parts of a log record: one for each table that holds rows, whatever number of tables they belong to.
import { DbError } from '../../errors.ts'
import type { ResolvedSeries, SeriesNumbers } from '../engine.ts'
import type { OpenTables } from './memory/tables.ts'
import type { FoundSeries } from './series/known-series.ts'
import type { WritePart } from './write.ts'

/** Throws `RequestOutdated` when a table changed since the series were found: the caller finds them again. */
export function currentNumbers(tables: OpenTables, numbers: SeriesNumbers): FoundSeries {
  const found = numbers as FoundSeries
  if (tables.known.isCurrent(found)) return found
  throw new DbError('RequestOutdated', 'tables were changed while rows for them were on their way')
}

/** Throws as `currentNumbers` does. */
export function seriesParts(tables: OpenTables, write: ResolvedSeries): readonly WritePart[] {
  const found = currentNumbers(tables, write.numbers)
  const { series, rows } = write
  const first = found.places[series[0]!]!
  if (found.places.every(place => place === first)) return [seriesPart(tables, write, first)]
  const samples = new Map<number, number[]>()
  for (let i = 0; i < rows; i++) {
    const place = found.places[series[i]!]!
    const list = samples.get(place)
    if (list === undefined) samples.set(place, [i])
    else list.push(i)
  }
  return Array.from(samples, ([place, list]) => seriesPart(tables, pick(write, list), place))
}

function seriesPart(tables: OpenTables, write: ResolvedSeries, number: number): WritePart {
  const { data, time, value } = tables.known.place(number)
  const { rows, series } = write
  const { tsids: known } = write.numbers as FoundSeries
  const tsids = new Uint32Array(rows)
  for (let i = 0; i < rows; i++) tsids[i] = known[series[i]!]!
  const skipLog = data.table.options.skip_wal === true
  return {
    data,
    skipLog,
    table: data.table.id,
    op: 'put',
    rows,
    tsids,
    series: skipLog ? [] : data.takeNewSeries(),
    seriesCount: data.registry.size,
    columns: [
      { id: time, data: { kind: 'fixed', values: write.times.slice(0, rows) } },
      { id: value, data: { kind: 'fixed', values: write.values.slice(0, rows) } }
    ]
  }
}

function pick(write: ResolvedSeries, samples: readonly number[]): ResolvedSeries {
  const { numbers, series, times, values } = write
  // As bits: a copy as numbers may change the bits of a NaN.
  const bits = new BigInt64Array(values.buffer, values.byteOffset, values.length)
  const picked = BigInt64Array.from(samples, i => bits[i]!)
  return {
    numbers,
    rows: samples.length,
    series: Uint32Array.from(samples, i => series[i]!),
    times: BigInt64Array.from(samples, i => times[i]!),
    values: new Float64Array(picked.buffer)
  }
}
