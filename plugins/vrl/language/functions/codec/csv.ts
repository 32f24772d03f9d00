// Arrays as one row of CSV.
import { writeJsonFloat } from '../../../../../core/compute.ts'
import { type Context, checkOutput, step } from '../../context.ts'
import { type FunctionSpec, fail } from '../../function.ts'
import { kinds } from '../../kind.ts'
import { displayValue } from '../../text.ts'
import { type ArrayValue, isArray, isObject, lossy, type Text, toBytes, typeName, type Value } from '../../value.ts'

export const csvCodecs: readonly FunctionSpec[] = [
  {
    name: 'encode_csv',
    summary: 'The items of an array as one row of CSV, quoted where that is needed.',
    params: [
      { name: 'value', kind: kinds.any },
      { name: 'delimiter', kind: kinds.string, default: ',' }
    ],
    returns: kinds.string,
    fallible: true,
    prepare:
      ({ context }) =>
      (value: Value, delimiter: Text) => {
        if (!isArray(value)) throw fail(`expected array, got ${typeName(value)}`)
        if (toBytes(delimiter).length !== 1) throw fail('delimiter must be a single character of one byte')
        return writeRow(context, value, lossy(delimiter))
      },
    examples: [
      {
        title: 'With quotes',
        source: 'encode_csv!(["a", 1, null, "b,c", "d\\"e"])',
        result: '"a,1,,\\"b,c\\",\\"d\\"\\"e\\""'
      },
      { title: 'No array', source: 'encode_csv!(1)', raises: 'expected array, got integer' }
    ]
  }
]

function writeRow(context: Context, items: ArrayValue, delimiter: string): string {
  const cells: string[] = []
  collect(context, items, delimiter, cells, { length: 0 })
  return cells.length === 1 && cells[0] === '' ? '""' : cells.join(delimiter)
}

/** Arrays inside add their items to the row. */
function collect(
  context: Context,
  items: ArrayValue,
  delimiter: string,
  cells: string[],
  row: { length: number }
): void {
  for (const item of items) {
    step(context)
    if (isArray(item)) {
      collect(context, item, delimiter, cells, row)
      continue
    }
    if (isObject(item)) throw fail('unable to encode an object as a cell of CSV')
    const text = cellText(item, delimiter)
    row.length += text.length + 1
    checkOutput(context, row.length)
    cells.push(text)
  }
}

function cellText(value: Value, delimiter: string): string {
  if (value === null) return ''
  const text = typeof value === 'number' ? writeJsonFloat(value) : displayValue(value)
  const quoted = text.includes(delimiter) || /["\r\n]/.test(text)
  return quoted ? `"${text.replaceAll('"', '""')}"` : text
}
