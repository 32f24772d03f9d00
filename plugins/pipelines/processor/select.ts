// Keeps or removes fields.
import { cell, type ItemBatch } from '../../../core/compute.ts'
import type { FieldPair, ProcessorDefinition } from '../../services.ts'
import { copyCell } from './cells.ts'

export const select: ProcessorDefinition = {
  kind: 'select',
  compile(options) {
    const type = options.text('type') ?? 'include'
    if (type !== 'include' && type !== 'exclude') throw options.error(`type must be include or exclude, not ${type}`)
    const { fields } = options
    if (type === 'exclude') {
      return {
        writes: [],
        apply(batch) {
          for (const { from } of fields) batch.fields.delete(from)
        }
      }
    }
    const kept = new Set(fields.map(({ to }) => to))
    return {
      writes: fields.flatMap(({ from, to }) => (from === to ? [] : [to])),
      apply(batch) {
        // Whoever names nothing has hardly meant to lose everything.
        if (kept.size === 0) return
        for (const pair of fields) if (pair.from !== pair.to) move(batch, pair)
        for (const name of [...batch.fields.keys()]) if (!kept.has(name)) batch.fields.delete(name)
      }
    }
  },
  doc: {
    summary:
      'Keeps only the named fields, or removes them. A missing field is not an error. With `include` a field may be renamed; variables ' +
      'such as `svc_ttl` that were set before go, too, unless they are named.',
    options: [
      { name: 'type', type: '`include` or `exclude`', default: '`include`', text: 'Whether the fields stay or go.' },
      {
        name: 'fields',
        type: 'list of fields',
        default: 'none',
        text: 'Without any nothing happens. With `exclude` new names do not count.'
      }
    ],
    example: {
      yaml: 'select: { fields: [at, "status, code"] }',
      input: '{"at":1,"noise":"x","status":200}',
      output: '{"at":1,"code":200}'
    }
  }
}

/** Moves the values of rows that have the field; other rows keep the value of the target field. */
function move(batch: ItemBatch, { from, to }: FieldPair): void {
  const source = batch.field(from)
  if (source === undefined) return
  const target = batch.getOrCreateField(to)
  for (let row = 0; row < batch.rows; row++) {
    if (source.kinds[row] === cell.absent) continue
    copyCell(source, target, row)
    source.setAbsent(row)
  }
}
