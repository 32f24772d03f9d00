// One value out of nested objects.
import { cell, type ItemValue, Timestamp } from '../../../core/compute.ts'
import type { ProcessorDefinition } from '../../services.ts'
import { copyCell, eachPresent } from './cells.ts'

export const simpleExtract: ProcessorDefinition = {
  kind: 'simple_extract',
  compile(options, path) {
    const key = options.text('key')
    const steps = key === undefined ? [] : key.split('.')
    if (key !== undefined && steps.includes('')) throw options.error(`key '${key}' has an empty part`)
    const input = { kind: 'simple_extract', path, ignoreMissing: options.ignoreMissing }
    return {
      apply(batch) {
        for (const { from, to } of options.fields) {
          const target = batch.getOrCreateField(to)
          eachPresent(batch, from, input, false, (row, field) => {
            if (steps.length === 0) copyCell(field, target, row)
            else batch.set(target, row, walk(field.kinds[row] === cell.object ? field.objects![row]! : null, steps))
          })
        }
      }
    }
  },
  doc: {
    summary: 'Takes one value out of nested objects; null where a part of the path is missing.',
    options: [
      {
        name: 'key',
        type: 'string',
        default: 'the value itself',
        text: 'Names separated by dots; arrays cannot be entered.'
      }
    ],
    example: {
      yaml: 'simple_extract: { field: "doc, city", key: addr.city }',
      input: '{"doc":{"addr":{"city":"Rome"}}}',
      output: '{"city":"Rome","doc":{"addr":{"city":"Rome"}}}'
    }
  }
}

function walk(value: ItemValue, steps: readonly string[]): ItemValue {
  let at = value
  for (const step of steps) {
    if (typeof at !== 'object' || at === null || Array.isArray(at) || at instanceof Timestamp) return null
    if (!Object.hasOwn(at, step)) return null
    at = at[step]!
  }
  return at
}
