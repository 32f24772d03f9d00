// Results as columns, for the formats SQL answers have: time, value, then a column for each label.
import type { RecordsAnswer, ResultBatch, ResultColumn } from '../../../core/index.ts'
import type { PromqlResult, PromqlRow } from '../../services.ts'

/** Rows of one batch. */
const batchRows = 2_048

export function recordsOf(result: PromqlResult): RecordsAnswer {
  const rows = [...result.rows()]
  const labels = [...new Set(rows.flatMap(({ labels }) => Object.keys(labels)))].sort()
  const isText = rows.some(({ value }) => typeof value === 'string')
  const columns: ResultColumn[] = [
    { name: 'svc_timestamp', type: 'TimestampMillisecond' },
    { name: 'svc_value', type: isText ? 'String' : 'Float64' },
    ...labels.map(name => ({ name, type: 'String' }) as const)
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

function toBatch(rows: readonly PromqlRow[], labels: readonly string[], isText: boolean): ResultBatch {
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
