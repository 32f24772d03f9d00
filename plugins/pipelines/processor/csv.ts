// Splits the first record of comma separated text into fields.
import { type ItemBatch, type ItemField, readCsvRecord, unquoteCsv } from '../../../core/compute.ts'
import type { ProcessorDefinition, ProcessorOptions } from '../../services.ts'
import { reject } from '../cell/input.ts'
import { eachText, setBytes } from './cells.ts'

interface Layout {
  readonly targets: readonly string[]
  readonly separator: number
  readonly quote: number
  readonly trim: boolean
  readonly emptyValue: string | undefined
}

export const csv: ProcessorDefinition = {
  kind: 'csv',
  compile(options, path) {
    const layout = readLayout(options)
    const input = { kind: 'csv', path, ignoreMissing: options.ignoreMissing }
    return {
      writes: layout.targets,
      apply(batch) {
        for (const { from } of options.fields) {
          const targets = layout.targets.map(name => batch.getOrCreateField(name))
          eachText(batch, from, input, (row, start, end) => {
            if (!setColumns(batch, row, start, end, targets, layout)) {
              reject(batch, row, input, `Expected at least one record in ${from}, but got none`)
            }
          })
        }
      }
    }
  },
  doc: {
    summary:
      'Splits the first record of the text. Columns may be quoted, with doubled quotes and line breaks inside. Targets without a column ' +
      'become `empty_value` or null, columns without a target are left out. The field itself stays.',
    options: [
      { name: 'target_fields', type: 'string', text: 'Names of the columns, separated by commas.' },
      { name: 'separator', type: 'string of one byte', default: '`,`', text: 'Stands between columns.' },
      { name: 'quote', type: 'string of one byte', default: '`"`', text: 'Stands around a column.' },
      { name: 'trim', type: 'boolean', default: '`false`', text: 'Takes white space away around every column.' },
      {
        name: 'empty_value',
        type: 'string',
        default: 'null',
        text: 'Value of targets without a column; an empty column stays empty.'
      }
    ],
    example: {
      yaml: 'csv: { field: row, target_fields: "id,name,note", empty_value: "-" }',
      input: '{"row":"7,\\"Bo, Jr\\""}',
      output: '{"id":"7","name":"Bo, Jr","note":"-","row":"7,\\"Bo, Jr\\""}'
    }
  }
}

function readLayout(options: ProcessorOptions): Layout {
  const names = options.text('target_fields')
  const targets = (names ?? '')
    .split(',')
    .map(name => name.trim())
    .filter(name => name !== '')
  if (targets.length === 0) throw options.error('target_fields is required: names separated by commas in one string')
  const separator = oneByte(options, 'separator', ',')
  const quote = oneByte(options, 'quote', '"')
  if (separator === quote) throw options.error('separator and quote must differ')
  return { targets, separator, quote, trim: options.flag('trim') ?? false, emptyValue: options.text('empty_value') }
}

function oneByte(options: ProcessorOptions, key: string, standard: string): number {
  const text = options.text(key) ?? standard
  if (Buffer.byteLength(text) !== 1) throw options.error(`${key} must be exactly one byte, not '${text}'`)
  return text.charCodeAt(0)
}

/** False where there is no record. */
function setColumns(
  batch: ItemBatch,
  row: number,
  start: number,
  end: number,
  targets: readonly ItemField[],
  { separator, quote, trim, emptyValue }: Layout
): boolean {
  const record = readCsvRecord(batch.bytes, start, end, separator, quote)
  if (record === undefined) return false
  for (let i = 0; i < targets.length; i++) {
    const target = targets[i]!
    const from = record.ranges[i * 2]
    if (from === undefined) {
      if (emptyValue === undefined) target.setNull(row)
      else batch.setText(target, row, emptyValue)
      continue
    }
    const to = record.ranges[i * 2 + 1]!
    if (record.escaped[i]) setBytes(batch, target, row, unquoteCsv(batch.bytes, from, to, quote))
    else target.setRange(row, from, to)
    if (trim) trimCell(batch, target, row)
  }
  return true
}

function trimCell(batch: ItemBatch, field: ItemField, row: number): void {
  const text = batch.text(field, row)
  const trimmed = text.trim()
  if (trimmed.length === text.length) return
  const from = field.words[row * 2]! + Buffer.byteLength(text.slice(0, text.length - text.trimStart().length))
  field.setRange(row, from, from + Buffer.byteLength(trimmed))
}
