// A push request as items for a pipeline: labels and metadata become fields with a prefix.
import { cell, endsStep, type ItemBatch, parseJson, type Steps } from '../../core/index.ts'
import type { Push } from './decode/push.ts'

const labelPrefix = 'logpush_label_'
const metadataPrefix = 'logpush_metadata_'

/** Labels, rows of them, and metadata of one step. */
const [stepLabels, stepRows, stepMetadata] = [64, 1 << 14, 256]

/** The request's own batch, with fields added for labels and metadata. */
export function* itemsOf({ batch, streams, metadata }: Push): Steps<ItemBatch> {
  let i = 0
  for (const { labels, first, end } of streams) {
    for (const [name, value] of labels) {
      if (endsStep(i++, stepLabels)) yield batch.memory
      const field = batch.getOrCreateField(labelPrefix + name)
      const bytes = Buffer.from(value)
      const start = batch.append(bytes)
      for (let row = first; row < end; row++) {
        field.setRange(row, start, start + bytes.length)
        if (endsStep(row, stepRows)) yield
      }
    }
  }
  for (let row = 0; row < batch.rows; row++) {
    if (endsStep(row, stepMetadata)) yield batch.memory
    if (metadata.kinds[row] !== cell.string) continue
    const pairs = parseJson(batch.text(metadata, row)) as Readonly<Record<string, string>>
    for (const name in pairs) batch.setText(batch.getOrCreateField(metadataPrefix + name), row, pairs[name]!)
  }
  return batch
}
