// Starts of series as rows of a table of their own: written when they change, not with every point.
import { bitmap, type Column, type SeriesName, type TableWrite } from '../../../core/index.ts'

const startTable = 'svc_metric_start_times'

export interface StartRow {
  readonly name: SeriesName
  /** Milliseconds since 1970, as is the time of the first point that told it. */
  readonly start: number
  readonly time: number
}

/** `svc_timestamp` is the start, `seen` the time of the first point that told it. */
export function startWrite(rows: readonly StartRow[], timeColumn: string): TableWrite {
  return {
    table: startTable,
    rows: rows.length,
    options: { append_mode: true },
    columns: [
      texts(
        'metric',
        'tag',
        rows.map(({ name }) => name.table)
      ),
      times(
        timeColumn,
        'timestamp',
        rows.map(({ start }) => start)
      ),
      times(
        'seen',
        'field',
        rows.map(({ time }) => time)
      ),
      texts(
        'series',
        'field',
        rows.map(({ name }) => labelsJson(name))
      )
    ]
  }
}

function times(name: string, semantic: Column['semantic'], values: readonly number[]): Column {
  const data = { kind: 'fixed', values: BigInt64Array.from(values, BigInt) } as const
  return { name, type: 'TimestampMillisecond', semantic, data }
}

function texts(name: string, semantic: 'tag' | 'field', values: readonly string[]): Column {
  const offsets = new Uint32Array(values.length + 1)
  for (const [i, value] of values.entries()) offsets[i + 1] = offsets[i]! + Buffer.byteLength(value)
  const data = {
    kind: 'bytes',
    offsets,
    bytes: Buffer.from(values.join('')),
    valid: bitmap(values.length, true)
  } as const
  return { name, type: semantic === 'tag' ? 'String' : 'Json', semantic, data }
}

/** By name, so that equal series have equal texts. */
function labelsJson({ labels }: SeriesName): string {
  const sorted = labels.toSorted((a, b) => (a.name < b.name ? -1 : 1))
  return JSON.stringify(Object.fromEntries(sorted.map(({ name, value }) => [name, Buffer.from(value).toString()])))
}
