// Results as columns, for the formats SQL answers have: time, value, then a column for each label.
import type { RecordsAnswer, ResultBatch, ResultColumn } from '../../../core/index.ts'
import type { Row } from './rows.ts'

/** Rows of one batch. */
const batchRows = 2_048

/** `name` is that of the column of values. */
export function recordsOf(found: Iterable<Row>, name = 'svc_value'): RecordsAnswer {
  const rows = [...found]
  const labels = [...new Set(rows.flatMap(({ labels }) => Object.keys(labels)))].sort()
  const isText = rows.some(({ value }) => typeof value === 'string')
  const columns: ResultColumn[] = [
    { name: 'svc_timestamp', type: 'TimestampMillisecond' },
    { name, type: isText ? 'String' : 'Float64' },
    ...labels.map(label => ({ name: label, type: 'String' }) as const)
  ]
  return {
    kind: 'records',
    columns,
    async *batches() {
      for (let start = 0; start < rows.length; start += batchRows) {
        yield toBatch(rows.slice(start, start + batchRows), labels, isText)
      }
    }
  }
}

function toBatch(rows: readonly Row[], labels: readonly string[], isText: boolean): ResultBatch {
  const values = isText
    ? rows.map(({ value }) => String(value))
    : Float64Array.from(rows, ({ value }) => value as number)
  return {
    rows: rows.length,
    columns: [
      { values: BigInt64Array.from(rows, ({ time }) => BigInt(time)) },
      { values },
      ...labels.map(name => ({ values: rows.map(({ labels }) => labels[name] ?? null) }))
    ]
  }
}
