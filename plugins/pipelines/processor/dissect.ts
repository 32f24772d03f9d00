// Splits text by the literals of a pattern; values are ranges of the batch's own bytes.
import type { ItemBatch, ItemField } from '../../../core/compute.ts'
import type { ProcessorDefinition } from '../../services.ts'
import { hasText, reject, shownCell } from '../cell/input.ts'
import { type DissectPattern, matchDissect, parseDissect } from './dissect-pattern.ts'

/** Maps the steps of a pattern to fields: one step for a plain name, several for appended pieces. */
interface Layout {
  readonly pattern: DissectPattern
  readonly names: readonly { readonly name: string; readonly step: number }[]
  /** Steps in the order their values are joined. */
  readonly joins: readonly { readonly name: string; readonly steps: readonly number[] }[]
}

export const dissect: ProcessorDefinition = {
  kind: 'dissect',
  compile(options, path) {
    const layouts = readPatterns(options.entries, options.error).map(text => layOut(parseDissect(text, options.error)))
    const separator = new TextEncoder().encode(options.text('append_separator') ?? ' ')
    const input = { kind: 'dissect', path, ignoreMissing: options.ignoreMissing }
    const ranges = new Uint32Array(Math.max(0, ...layouts.map(layout => layout.pattern.steps.length)) * 2)
    const applyTo = (batch: ItemBatch, name: string) => {
      const field = batch.field(name)
      const writers = layouts.map(layout => prepare(batch, layout, separator, ranges))
      for (let row = 0; row < batch.rows; row++) {
        if (batch.states[row] !== 0 || !hasText(batch, field, row, input, name)) continue
        const start = field!.words[row * 2]!
        const end = field!.words[row * 2 + 1]!
        let matched = false
        for (let i = 0; i < layouts.length && !matched; i++) {
          matched = matchDissect(layouts[i]!.pattern, batch.bytes, start, end, ranges)
          if (matched) writers[i]!(row)
        }
        if (!matched) reject(batch, row, input, `No matching pattern found for ${shown(batch, field!, row)}`)
      }
    }
    return {
      writes: layouts.flatMap(({ names, joins }) => [...names, ...joins].map(({ name }) => name)),
      apply(batch) {
        for (const { from } of options.fields) applyTo(batch, from)
      }
    }
  },
  doc: {
    summary:
      'Splits text at the literals between placeholders; the field itself stays. `%{name}` takes a value, `%{}` and `%{?name}` skip one, ' +
      '`%{+name}` joins pieces of one name and `%{+name/2}` orders them, `->` behind a name skips repeats of the character that ends ' +
      'the value, `%{*k}` and `%{&k}` must come in pairs and give nothing. A value ends at the first character of the literal behind ' +
      'it, and there the whole literal must stand; what follows the last literal does not count.',
    options: [
      {
        name: 'pattern',
        type: 'string',
        default: 'none',
        text: 'A pattern; `pattern` or `patterns` is needed, the later one counts.'
      },
      {
        name: 'patterns',
        type: 'list of strings',
        default: 'none',
        text: 'Tried in order; an item that none of them fits fails.'
      },
      { name: 'append_separator', type: 'string', default: 'a space', text: 'Stands between the pieces of `%{+name}`.' }
    ],
    example: {
      yaml: `dissect: { field: line, pattern: "[%{level->} ] %{+when} %{+when} %{?pid} %{msg}", append_separator: T }`,
      input: '{"line":"[INFO  ] 2025-03-04 05:06:07 991 up"}',
      output: '{"level":"INFO","line":"[INFO  ] 2025-03-04 05:06:07 991 up","msg":"up","when":"2025-03-04T05:06:07"}'
    }
  }
}

function shown(batch: ItemBatch, field: ItemField, row: number): string {
  return `${field.name} = ${shownCell(batch, field, row)}`
}

function readPatterns(entries: ReadonlyMap<string, unknown>, refuse: (message: string) => Error): string[] {
  let patterns: string[] = []
  for (const [key, value] of entries) {
    if (key === 'pattern') {
      if (typeof value !== 'string') throw refuse('pattern must be a string')
      patterns = [value]
    } else if (key === 'patterns') {
      if (!Array.isArray(value) || !value.every(entry => typeof entry === 'string')) {
        throw refuse('patterns must be a list of strings')
      }
      patterns = value
    }
  }
  if (patterns.length === 0) throw refuse('pattern or patterns is required')
  return patterns
}

function layOut(pattern: DissectPattern): Layout {
  const names: { name: string; step: number }[] = []
  const appends = new Map<string, { step: number; order: number }[]>()
  pattern.steps.forEach(({ placeholder }, step) => {
    if (placeholder.kind === 'name') names.push({ name: placeholder.name, step })
    if (placeholder.kind !== 'append') return
    const pieces = appends.get(placeholder.name) ?? []
    appends.set(placeholder.name, pieces)
    pieces.push({ step, order: placeholder.order })
  })
  const joins = [...appends].map(([name, pieces]) => ({
    name,
    steps: pieces.sort((a, b) => a.order - b.order).map(piece => piece.step)
  }))
  return { pattern, names, joins }
}

/** Looks up the target fields of a batch once; returns a function that writes the last match of a row to them. */
function prepare(batch: ItemBatch, { names, joins }: Layout, separator: Uint8Array, ranges: Uint32Array) {
  const nameFields = names.map(({ name }) => batch.getOrCreateField(name))
  const steps = Uint32Array.from(names, ({ step }) => step)
  const joinFields = joins.map(({ name }) => batch.getOrCreateField(name))
  return (row: number) => {
    for (let i = 0; i < nameFields.length; i++) {
      const step = steps[i]!
      nameFields[i]!.setRange(row, ranges[step * 2]!, ranges[step * 2 + 1]!)
    }
    for (let i = 0; i < joins.length; i++) join(batch, joinFields[i]!, row, joins[i]!.steps, separator, ranges)
  }
}

function join(
  batch: ItemBatch,
  field: ItemField,
  row: number,
  steps: readonly number[],
  separator: Uint8Array,
  ranges: Uint32Array
): void {
  const first = ranges[steps[0]! * 2]!
  const last = ranges[steps[steps.length - 1]! * 2 + 1]!
  if (standJoined(batch.bytes, steps, separator, ranges)) {
    field.setRange(row, first, last)
    return
  }
  const parts: Uint8Array[] = []
  for (const step of steps) {
    if (parts.length > 0) parts.push(separator)
    parts.push(batch.bytes.subarray(ranges[step * 2]!, ranges[step * 2 + 1]!))
  }
  const joined = Buffer.concat(parts)
  const start = batch.append(joined)
  field.setRange(row, start, start + joined.length)
}

/** Whether the pieces stand one behind the other with just the separator between them, so that no copy is needed. */
function standJoined(bytes: Uint8Array, steps: readonly number[], separator: Uint8Array, ranges: Uint32Array): boolean {
  for (let i = 1; i < steps.length; i++) {
    const end = ranges[steps[i - 1]! * 2 + 1]!
    if (ranges[steps[i]! * 2]! !== end + separator.length) return false
    for (let j = 0; j < separator.length; j++) if (bytes[end + j] !== separator[j]) return false
  }
  return true
}
