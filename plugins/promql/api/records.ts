// Results as columns for the result formats: time, value, then a column per label.
import {
  type RecordsAnswer,
  type ResultBatch,
  type ResultColumn,
  timeColumn,
  valueColumn
} from '../../../core/index.ts'
import type { LabelNames, Labels } from '../engine/labels.ts'
import type { QueryAnswer } from '../engine/query.ts'
import { answerRows, type Row } from './rows.ts'

/** Rows of one batch. */
const batchRows = 2_048

/** `name` is the name of the value column. Rows are made while they are read. */
export function recordsOf(answer: QueryAnswer, name = valueColumn): RecordsAnswer {
  const labels = labelsOf(answer)
  const isText = hasHistograms(answer)
  const columns: ResultColumn[] = [
    { name: timeColumn, type: 'TimestampMillisecond' },
    { name, type: isText ? 'String' : 'Float64' },
    ...labels.map(label => ({ name: label, type: 'String' }) as const)
  ]
  return {
    kind: 'records',
    columns,
    async *batches() {
      let rows: Row[] = []
      for (const row of answerRows(answer)) {
        rows.push(row)
        if (rows.length < batchRows) continue
        yield toBatch(rows, labels, isText)
        rows = []
        await new Promise(resolve => setImmediate(resolve))
      }
      if (rows.length > 0) yield toBatch(rows, labels, isText)
    }
  }
}

function labelsOf({ value }: QueryAnswer): readonly string[] {
  const all: readonly { readonly labels: Labels }[] =
    value.type === 'vector' ? value.series : value.type === 'matrix' ? value.samples : []
  const shared = new Set<LabelNames>()
  for (const { labels } of all) shared.add(labels.shared)
  return [...new Set([...shared].flatMap(({ names }) => names))].sort()
}

function hasHistograms({ value }: QueryAnswer): boolean {
  if (value.type === 'vector') return value.series.some(({ kinds }) => kinds.includes(2))
  return value.type === 'matrix' && value.samples.some(({ histograms }) => histograms.times.length > 0)
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
