// JSON text to an array or object.
import {
  cell,
  countJsonValues,
  type ItemBatch,
  type ItemField,
  isDbError,
  parseJson,
  runAtOnce
} from '../../../core/compute.ts'
import type { ProcessorDefinition } from '../../services.ts'
import { type Input, reject, rejectKind, shownCell } from '../cell/input.ts'
import { eachPresent } from './cells.ts'

/** Charges the quota for parsing the text of a row; false: the quota is used up. */
type Take = (text: Uint8Array) => boolean

/** The kind `json_parse`; the texts of a batch have at most so many values, all together, 0 for any number. */
export const createJsonParse = (max: () => number): ProcessorDefinition => ({
  kind: 'json_parse',
  compile(options, path) {
    const input = { kind: 'json_parse', path, ignoreMissing: options.ignoreMissing }
    return {
      apply(batch) {
        const limit = max()
        let left = limit === 0 ? Number.POSITIVE_INFINITY : limit
        const take: Take = text => {
          if (limit > 0) left -= runAtOnce(countJsonValues(text, left))
          return left >= 0
        }
        for (const { from, to } of options.fields) {
          const target = batch.getOrCreateField(to)
          eachPresent(batch, from, input, true, (row, field) => {
            if (field.kinds[row] === cell.string) parseCell(batch, field, target, row, input, take)
            else rejectKind(batch, field, row, input, 'string value')
          })
        }
      }
    }
  },
  doc: {
    summary:
      'Reads JSON text. The text must be an array or an object; a number, a text, true, false or null fails the item, and so does a ' +
      'field that is null. Items whose texts have more values, all together, than `http.max_body_values` fail from there on.',
    options: [],
    example: {
      yaml: 'json_parse: { field: "raw, doc" }',
      input: '{"raw":"{\\"k\\":[1]}"}',
      output: '{"doc":{"k":[1]},"raw":"{\\"k\\":[1]}"}'
    }
  }
})

export const jsonParse = createJsonParse(() => 0)

function parseCell(batch: ItemBatch, field: ItemField, target: ItemField, row: number, input: Input, take: Take): void {
  const text = batch.bytes.subarray(field.words[row * 2]!, field.words[row * 2 + 1]!)
  if (!take(text)) {
    reject(batch, row, input, `the JSON of the request has too many values (http.max_body_values): ${field.name}`)
    return
  }
  try {
    const value = parseJson(text)
    if (typeof value === 'object' && value !== null) target.setObject(row, value)
    else
      reject(
        batch,
        row,
        input,
        `unsupported value in ${field.name}: expected an array or object, got ${shownCell(batch, field, row)}`
      )
  } catch (fault) {
    if (!isDbError(fault)) throw fault
    reject(
      batch,
      row,
      input,
      `Failed to parse json: ${fault.message} in ${field.name} = ${shownCell(batch, field, row)}`
    )
  }
}
