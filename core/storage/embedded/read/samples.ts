// Extracts samples from rows in memory.
import { type ColumnData, isValid, type ResultBatch, type ResultVector, setBit } from '../../../model/batch.ts'
import { endsStep, type Steps } from '../../../pace.ts'
import { batchOf, type GatherOptions, gather } from './gather.ts'
import {
  mayHold,
  type SampleColumn,
  type SampleQuery,
  type SampleRows,
  ticksOf,
  timeAt,
  visitRuns
} from './sample-rows.ts'

/** Texts, and rows with texts, read in a step. */
const stepTexts = 256
const stepRows = 16_384

/** The samples of some series, in write order, without those that have no value. */
export function* readSamples(
  writes: readonly SampleRows[],
  query: SampleQuery,
  options: GatherOptions
): Steps<readonly ResultBatch[]> {
  const hit = writes.filter(write => write.rows > 0 && mayHold(write, query))
  if (!query.values.some(isText)) {
    const batch = batchOf(yield* gather(hit, query, options), query.wanted.tsids)
    return batch.rows > 0 ? [batch] : []
  }
  const batches: ResultBatch[] = []
  for (const write of hit) {
    const batch = yield* samplesOf(write, query)
    if (batch.rows > 0) batches.push(batch)
    yield
  }
  return batches
}

export function isText({ type }: Pick<SampleColumn, 'type'>): boolean {
  return type === 'String' || type === 'Json'
}

function hasAny(values: readonly (ColumnData | undefined)[], row: number): boolean {
  return values.some(each => each !== undefined && isValid(each.valid, row))
}

/** Rows of wanted series in the time range. */
function rowsOf(write: SampleRows, query: SampleQuery): Uint32Array {
  const rows: number[] = []
  visitRuns(write, query, (_, start, end) => {
    for (let row = start; row < end; row++) rows.push(row)
  })
  return Uint32Array.from(rows)
}

function* samplesOf(write: SampleRows, query: SampleQuery): Steps<ResultBatch> {
  const ticks = ticksOf(write.columns, query.time)
  const data = query.values.map(({ id }) => write.columns.get(id))
  const found = rowsOf(write, query)
  const full = data.length === 0 || data.some(each => each !== undefined && each.valid === undefined)
  const rows = full ? found : found.filter(row => hasAny(data, row))
  const series = new Uint32Array(rows.length)
  const times = new Float64Array(rows.length)
  for (let i = 0; i < rows.length; i++) {
    series[i] = write.tsids[rows[i]!]!
    times[i] = timeAt(ticks, rows[i]!)
    if (endsStep(i, stepRows)) yield
  }
  const values: ResultVector[] = []
  for (const column of query.values) values.push(yield* pick(column, write, rows))
  return { rows: rows.length, columns: [{ values: series }, { values: times }, ...values] }
}

/** Numbers as floats (floats keep their bits); text as text. */
function* pick(column: SampleColumn, write: SampleRows, rows: Uint32Array): Steps<ResultVector> {
  const data = write.columns.get(column.id)
  if (data === undefined) {
    const values = isText(column) ? new Array<null>(rows.length).fill(null) : new Float64Array(rows.length)
    return { values, valid: new Uint8Array((rows.length + 7) >> 3) }
  }
  if (data.kind !== 'fixed') {
    const texts: (string | null)[] = []
    for (const [i, row] of rows.entries()) {
      texts.push(textAt(data, row))
      if (endsStep(i, stepTexts)) yield
    }
    return { values: texts }
  }
  const values = new Float64Array(rows.length)
  if (data.values instanceof Float64Array) {
    const from = new Uint32Array(data.values.buffer, data.values.byteOffset, data.values.length * 2)
    const to = new Uint32Array(values.buffer)
    for (let i = 0; i < rows.length; i++) {
      to[2 * i] = from[2 * rows[i]!]!
      to[2 * i + 1] = from[2 * rows[i]! + 1]!
    }
  } else for (let i = 0; i < rows.length; i++) values[i] = Number(data.values[rows[i]!])
  return data.valid === undefined ? { values } : { values, valid: pickValid(data.valid, rows) }
}

function pickValid(valid: Uint8Array, rows: Uint32Array): Uint8Array {
  const picked = new Uint8Array((rows.length + 7) >> 3)
  for (let i = 0; i < rows.length; i++) if (isValid(valid, rows[i]!)) setBit(picked, i)
  return picked
}

function textAt(data: Exclude<ColumnData, { kind: 'fixed' }>, row: number): string | null {
  if (!isValid(data.valid, row)) return null
  const text = data.kind === 'dictionary' ? data.dictionary : data
  const at = data.kind === 'dictionary' ? data.codes[row]! : row
  return Buffer.from(text.bytes.subarray(text.offsets[at]!, text.offsets[at + 1]!)).toString('utf8')
}
