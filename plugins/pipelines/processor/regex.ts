// Splits text by named groups of regular expressions; runs in linear time whatever the pattern.
import { RE2JS } from 're2js'
import type { ItemBatch, ItemField } from '../../../core/index.ts'
import type { FieldPair, ProcessorDefinition, ProcessorOptions } from '../../services.ts'
import { hasText, shownText } from '../cell/input.ts'

interface Pattern {
  readonly expression: RE2JS
  readonly groups: readonly { readonly name: string; readonly group: number }[]
}

export const regex: ProcessorDefinition = {
  kind: 'regex',
  compile(options, path) {
    const texts = [...(options.texts('patterns') ?? [])]
    const single = options.text('pattern')
    if (single !== undefined) texts.unshift(single)
    if (texts.length === 0) throw options.error('pattern or patterns is required')
    if (options.fields.length === 0) throw options.error('field or fields is required')
    const patterns = texts.map(text => compilePattern(text, options))
    const input = { kind: 'regex', path, ignoreMissing: options.ignoreMissing }
    const applyTo = (batch: ItemBatch, { from, to }: FieldPair) => {
      const field = batch.field(from)
      const targets = patterns.map(({ groups }) => groups.map(({ name }) => batch.take(`${to}_${name}`)))
      for (let row = 0; row < batch.rows; row++) {
        if (batch.states[row] !== 0 || !hasText(batch, field, row, input, from)) continue
        const start = field!.words[row * 2]!
        const text = batch.bytes.subarray(start, field!.words[row * 2 + 1]!)
        for (let i = 0; i < patterns.length; i++) matchGroups(patterns[i]!, text, start, row, targets[i]!)
      }
    }
    return {
      apply(batch) {
        for (const pair of options.fields) applyTo(batch, pair)
      }
    }
  }
}

/** Sets the groups that took part; they are ranges of the same bytes. */
function matchGroups(pattern: Pattern, text: Uint8Array, start: number, row: number, targets: readonly ItemField[]) {
  const matcher = pattern.expression.matcher(text)
  if (!matcher.find()) return
  for (let i = 0; i < targets.length; i++) {
    const { group } = pattern.groups[i]!
    const from = matcher.start(group)
    if (from >= 0) targets[i]!.setRange(row, start + from, start + matcher.end(group))
  }
}

function compilePattern(text: string, options: ProcessorOptions): Pattern {
  let expression: RE2JS
  try {
    expression = RE2JS.compile(text)
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw options.error(`pattern ${shownText(text)} is not a regular expression: ${reason}`)
  }
  const groups = Object.entries(expression.namedGroups()).map(([name, group]) => ({ name, group }))
  if (groups.length === 0) throw options.error(`pattern ${shownText(text)} has no named group (?<name>…)`)
  return { expression, groups }
}
