// Table suffix templates such as `_${region}`.
import { cell, type ItemBatch } from '../../../core/compute.ts'
import { cellText } from '../cell/text.ts'
import type { SuffixTemplate } from '../pipeline.ts'

/** The suffix of a row: empty as soon as one field is absent or neither text nor integer. `hidden` fields count as absent. */
export function expandSuffix(template: SuffixTemplate, batch: ItemBatch, row: number, hidden: ReadonlySet<string>) {
  let text = template.texts[0]!
  for (let i = 0; i < template.fields.length; i++) {
    const name = template.fields[i]!
    const field = hidden.has(name) ? undefined : batch.field(name)
    const kind = field?.kinds[row]
    if (kind !== cell.string && kind !== cell.int) return ''
    text += cellText(batch, field!, row) + template.texts[i + 1]!
  }
  return text
}
