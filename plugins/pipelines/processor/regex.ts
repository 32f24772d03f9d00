// Splits text by named groups of regular expressions.
import type { ItemBatch, ItemField, LinearRegex } from '../../../core/compute.ts'
import type { FieldPair, ProcessorDefinition, ProcessorOptions } from '../../services.ts'
import { shownText } from '../cell/input.ts'
import { eachText } from './cells.ts'
import { compilePattern, patternSyntax } from './pattern.ts'

interface Pattern {
  readonly regex: LinearRegex
  readonly groups: readonly { readonly name: string; readonly group: number }[]
  /** Byte ranges of the groups of the last match. */
  readonly spans: Int32Array
}

export const regex: ProcessorDefinition = {
  kind: 'regex',
  compile(options, path) {
    const patterns = readSources(options).map(source => namedGroups(options, source))
    if (patterns.length === 0) throw options.error('pattern or patterns is required')
    if (options.fields.length === 0) throw options.error('field or fields is required')
    const input = { kind: 'regex', path, ignoreMissing: options.ignoreMissing }
    const applyTo = (batch: ItemBatch, { from, to }: FieldPair) => {
      const targets = patterns.map(({ groups }) => groups.map(({ name }) => batch.getOrCreateField(`${to}_${name}`)))
      eachText(batch, from, input, (row, start, end) => {
        for (let i = 0; i < patterns.length; i++) {
          const { regex, spans } = patterns[i]!
          if (regex.find(batch.bytes, start, end, spans)) setGroups(patterns[i]!, row, targets[i]!)
        }
      })
    }
    return {
      writes: options.fields.flatMap(({ to }) =>
        patterns.flatMap(({ groups }) => groups.map(({ name }) => `${to}_${name}`))
      ),
      apply(batch) {
        for (const pair of options.fields) applyTo(batch, pair)
      }
    }
  },
  doc: {
    summary:
      'Takes the named groups of the first match into fields `<field>_<group>`; a new name of the field stands in front instead. Every ' +
      'pattern is tried, later ones overwrite; a group that took no part is not set, and no match is not an error. `dissect` is much ' +
      'faster where it can do the job; patterns that start with `^` and whose parts end at characters they do not hold are the fastest.',
    options: [
      {
        name: 'pattern',
        type: 'string',
        default: 'none',
        text: `A regular expression (${patternSyntax}) with named groups \`(?<name>…)\`.`
      },
      { name: 'patterns', type: 'list of strings', default: 'none', text: 'More of them; at least one is needed.' }
    ],
    example: {
      yaml: `regex: { field: "path, p", pattern: '^/(?<area>\\w+)/(?<id>\\d+)' }`,
      input: '{"path":"/cart/77"}',
      output: '{"p_area":"cart","p_id":"77","path":"/cart/77"}'
    }
  }
}

/** In the order of the document. */
function readSources(options: ProcessorOptions): string[] {
  const single = options.text('pattern')
  const several = options.texts('patterns') ?? []
  const sources: string[] = []
  for (const key of options.entries.keys()) {
    if (key === 'pattern' && single !== undefined) sources.push(single)
    if (key === 'patterns') sources.push(...several)
  }
  return sources
}

function namedGroups(options: ProcessorOptions, source: string): Pattern {
  const regex = compilePattern(options, source)
  const groups = regex.names.flatMap((name, group) => (name === undefined ? [] : [{ name, group }]))
  if (groups.length === 0) throw options.error(`pattern ${shownText(source)} has no named group (?<name>…)`)
  return { regex, groups, spans: new Int32Array(regex.names.length * 2) }
}

/** Groups are ranges of the same bytes. */
function setGroups({ groups, spans }: Pattern, row: number, targets: readonly ItemField[]): void {
  for (let i = 0; i < targets.length; i++) {
    const at = groups[i]!.group * 2
    if (spans[at]! >= 0) targets[i]!.setRange(row, spans[at]!, spans[at + 1]!)
  }
}
