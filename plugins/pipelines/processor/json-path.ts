// Values out of nested ones by a JSONPath.
import { isDbError } from '../../../core/compute.ts'
import type { ProcessorDefinition, ProcessorOptions } from '../../services.ts'
import { reject } from '../cell/input.ts'
import { parsePath } from '../json-path/parse.ts'
import { selectPath } from '../json-path/select.ts'
import { eachPresent } from './cells.ts'

/** Values a path may look at in one item unless the operator says otherwise. */
export const defaultPathValues = 100_000

/** The kind `json_path`; a path looks at most at so many values of an item. */
export const createJsonPath = (max: number): ProcessorDefinition => ({
  kind: 'json_path',
  compile(options, path) {
    const segments = compilePath(options)
    const index = readIndex(options)
    const input = { kind: 'json_path', path, ignoreMissing: options.ignoreMissing }
    return {
      apply(batch) {
        for (const { from, to } of options.fields) {
          const target = batch.getOrCreateField(to)
          eachPresent(batch, from, input, true, (row, field) => {
            const found = selectPath(segments, batch.get(field, row)!, max)
            if (found === undefined) reject(batch, row, input, `the path looks at more than ${max} values of ${from}`)
            else if (index !== undefined) batch.set(target, row, found[index] ?? null)
            else batch.set(target, row, found.length === 0 ? null : found)
          })
        }
      }
    }
  },
  doc: {
    summary:
      'Selects values by a JSONPath (RFC 9535): an array of what it finds, null when that is nothing. Any value can be searched, null too. A ' +
      'path that looks at more values than `json_path_max_values` (100000) fails the item.',
    options: [
      {
        name: 'json_path',
        type: 'string',
        text:
          'Starts with `$`. Names, indexes, slices, `*`, `..`, lists, and filters with `== != < <= > >= =~ && || !`, `length()`, ' +
          '`count()`, `value()`, `match()`, `search()`.'
      },
      {
        name: 'result_index',
        type: 'integer',
        default: 'all',
        text: 'Only the result at this index, from 0; null when there are fewer.'
      }
    ],
    example: {
      yaml: 'json_path: { field: "o, id", json_path: "$.items[?(@.ok)].id", result_index: 0 }',
      input: '{"o":{"items":[{"id":1},{"id":2,"ok":true}]}}',
      output: '{"id":2,"o":{"items":[{"id":1},{"id":2,"ok":true}]}}'
    }
  }
})

export const jsonPath = createJsonPath(defaultPathValues)

function compilePath(options: ProcessorOptions) {
  const text = options.text('json_path')
  if (text === undefined) throw options.error('json_path is required')
  try {
    return parsePath(text)
  } catch (cause) {
    throw isDbError(cause) ? options.error(`json_path ${cause.message}`) : cause
  }
}

function readIndex(options: ProcessorOptions): number | undefined {
  const value = options.entries.get('result_index') ?? undefined
  if (value === undefined) return undefined
  if (typeof value === 'bigint' && value >= 0n && value < 1_000_000_000n) return Number(value)
  throw options.error('result_index must be an integer from 0 on')
}
