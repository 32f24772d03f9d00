// Start times of series as rows of a separate table, written only when they change.
import { bitmap, type Column, endsStep, type SeriesName, type Steps, type TableWrite } from '../../../core/index.ts'
import { GrowingBytes } from '../column/growing-bytes.ts'

const startTable = 'svc_metric_start_times'

export interface StartRow {
  readonly name: SeriesName
  /** Milliseconds since 1970, like the time of the first point with this start. */
  readonly start: number
  readonly time: number
}

/** Rows handled between two yields to other requests. */
const stepRows = 64

/** `svc_timestamp` is the start, `seen` the time of the first point with this start. */
export function* startWrite(rows: readonly StartRow[], timeColumn: string): Steps<TableWrite> {
  return {
    table: startTable,
    rows: rows.length,
    options: { append_mode: true },
    columns: [
      yield* texts('metric', 'tag', rows, ({ name }) => name.table),
      times(timeColumn, 'timestamp', rows, ({ start }) => start),
      times('seen', 'field', rows, ({ time }) => time),
      yield* texts('series', 'field', rows, ({ name }) => labelsJson(name))
    ]
  }
}

function times(
  name: string,
  semantic: Column['semantic'],
  rows: readonly StartRow[],
  of: (row: StartRow) => number
): Column {
  const data = { kind: 'fixed', values: BigInt64Array.from(rows, row => BigInt(of(row))) } as const
  return { name, type: 'TimestampMillisecond', semantic, data }
}

function* texts(
  name: string,
  semantic: 'tag' | 'field',
  rows: readonly StartRow[],
  textOf: (row: StartRow) => string
): Steps<Column> {
  const offsets = new Uint32Array(rows.length + 1)
  const out = new GrowingBytes()
  for (const [i, row] of rows.entries()) {
    const text = Buffer.from(textOf(row))
    out.copyText(text, 0, text.length)
    offsets[i + 1] = out.length
    if (endsStep(i, stepRows)) yield
  }
  const bytes = out.bytes.subarray(0, out.length)
  const data = { kind: 'bytes', offsets, bytes, valid: bitmap(rows.length, true) } as const
  return { name, type: semantic === 'tag' ? 'String' : 'Json', semantic, data }
}

/** Labels as JSON sorted by name, so that equal series have equal texts. */
function labelsJson({ labels }: SeriesName): string {
  const sorted = labels.toSorted((a, b) => (a.name < b.name ? -1 : 1))
  return JSON.stringify(Object.fromEntries(sorted.map(({ name, value }) => [name, Buffer.from(value).toString()])))
}
