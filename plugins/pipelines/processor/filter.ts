// Drops items by the text of their fields.
import { cell, type ItemBatch, type ItemField } from '../../../core/compute.ts'
import type { ProcessorDefinition, ProcessorOptions } from '../../services.ts'
import { rejectKind } from '../cell/input.ts'

type Matches = (batch: ItemBatch, field: ItemField, row: number) => boolean

export const filter: ProcessorDefinition = {
  kind: 'filter',
  compile(options, path) {
    const matches = compileTargets(readTargets(options), options.flag('case_insensitive') ?? true)
    const wanted = options.entries.get('match_op') !== 'not_in'
    const input = { kind: 'filter', path, ignoreMissing: options.ignoreMissing }
    const applyTo = (batch: ItemBatch, field: ItemField) => {
      for (let row = 0; row < batch.rows; row++) {
        if (batch.states[row] !== 0 || field.kinds[row] === cell.absent) continue
        if (field.kinds[row] !== cell.string) rejectKind(batch, field, row, input, 'string value')
        else if (matches(batch, field, row) === wanted) batch.drop(row)
      }
    }
    return {
      writes: [],
      apply(batch) {
        for (const { from } of options.fields) {
          const field = batch.field(from)
          if (field !== undefined) applyTo(batch, field)
        }
      }
    }
  },
  doc: {
    summary:
      'Drops items whose field is one of some texts, or is none of them. That is not an error. With several fields one is enough. An item ' +
      'without the field stays; a field that is not text, null included, fails the item.',
    options: [
      {
        name: 'targets',
        type: 'list of strings',
        text: 'Texts to compare with; empty ones do not count, at least one must be left.'
      },
      {
        name: 'match_op',
        type: '`in` or `not_in`',
        default: '`in`',
        text: 'Whether to drop what is among the targets or what is not.'
      },
      { name: 'case_insensitive', type: 'boolean', default: '`true`', text: 'Compares both sides in lower case.' },
      { name: 'mode', type: '`simple`', default: '`simple`', text: 'There is no other mode.' }
    ],
    example: {
      yaml: 'filter: { field: level, targets: [debug, trace] }',
      input: '{"level":"DEBUG"}',
      output: 'nothing: the item is dropped'
    }
  }
}

function readTargets(options: ProcessorOptions): string[] {
  const targets = (options.texts('targets') ?? []).filter(text => text !== '')
  if (targets.length === 0) throw options.error('missing field: targets, a list of at least one text')
  return targets
}

const encoder = new TextEncoder()

/** Compares bytes where both sides are ASCII, text elsewhere. */
function compileTargets(targets: readonly string[], fold: boolean): Matches {
  const texts = new Set(fold ? targets.map(text => text.toLowerCase()) : targets)
  const encoded = [...texts].map(text => encoder.encode(text))
  return (batch, field, row) => {
    const start = field.words[row * 2]!
    const end = field.words[row * 2 + 1]!
    if (fold && !isAscii(batch.bytes, start, end)) return texts.has(batch.text(field, row).toLowerCase())
    return encoded.some(target => equals(batch.bytes, start, end, target, fold))
  }
}

function isAscii(bytes: Uint8Array, start: number, end: number): boolean {
  for (let i = start; i < end; i++) if (bytes[i]! > 127) return false
  return true
}

function equals(bytes: Uint8Array, start: number, end: number, target: Uint8Array, fold: boolean): boolean {
  if (end - start !== target.length) return false
  for (let i = 0; i < target.length; i++) {
    const byte = bytes[start + i]!
    if (target[i] !== (fold && byte >= 65 && byte <= 90 ? byte | 32 : byte)) return false
  }
  return true
}
