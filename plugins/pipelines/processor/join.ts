// An array to one text.
import { cell, type ItemValue } from '../../../core/compute.ts'
import type { ProcessorDefinition } from '../../services.ts'
import { rejectKind } from '../cell/input.ts'
import { valueText } from '../cell/text.ts'
import { eachPresent } from './cells.ts'

export const join: ProcessorDefinition = {
  kind: 'join',
  compile(options, path) {
    const separator = options.text('separator')
    if (separator === undefined) throw options.error('separator is required')
    const input = { kind: 'join', path, ignoreMissing: options.ignoreMissing }
    return {
      apply(batch) {
        for (const { from, to } of options.fields) {
          const target = batch.getOrCreateField(to)
          eachPresent(batch, from, input, false, (row, field) => {
            const values = arrayOf(field.kinds[row] === cell.object ? field.objects![row] : undefined)
            if (values === undefined) rejectKind(batch, field, row, input, 'array value')
            else batch.setText(target, row, values.map(valueText).join(separator))
          })
        }
      }
    }
  },
  doc: {
    summary:
      'Joins the elements of an array to one text: numbers in decimal, times in RFC 3339, arrays and objects as JSON, null as `<null>`.',
    options: [{ name: 'separator', type: 'string', text: 'Stands between the elements.' }],
    example: {
      yaml: 'join: { field: tags, separator: "|" }',
      input: '{"tags":["a",1,true]}',
      output: '{"tags":"a|1|true"}'
    }
  }
}

function arrayOf(value: ItemValue | undefined): readonly ItemValue[] | undefined {
  return Array.isArray(value) ? value : undefined
}
