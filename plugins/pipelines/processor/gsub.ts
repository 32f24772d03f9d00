// Replaces every match of a regular expression.
import { parseReplacement } from '../../../core/compute.ts'
import type { ProcessorDefinition, ProcessorOptions } from '../../services.ts'
import { mapTexts } from './cells.ts'
import { compilePattern, patternSyntax } from './pattern.ts'

/** Characters a text may have with its matches replaced. */
export const defaultTextLength = 16 * 2 ** 20

const decoder = new TextDecoder()

/** Maximum characters of a resulting text. */
export const createGsub = (maxLength: number): ProcessorDefinition => ({
  kind: 'gsub',
  compile(options, path) {
    const regex = compilePattern(options, required(options, 'pattern'))
    const by = parseReplacement(required(options, 'replacement'), regex.names)
    const change = (bytes: Uint8Array, start: number, end: number) =>
      regex.testBytes(bytes, start, end)
        ? regex.replace(decoder.decode(bytes.subarray(start, end)), by, { maxLength })
        : undefined
    return mapTexts(options, { kind: 'gsub', path }, change)
  },
  doc: {
    summary:
      'Replaces every match of a regular expression. A pattern that looks at most of a long text for each of many matches fails the item ' +
      'after 100 ms and 10 µs a character; so does a result of more than `[plugins.pipelines] max_text_length` characters.',
    options: [
      { name: 'pattern', type: 'string', text: `A regular expression (${patternSyntax}).` },
      {
        name: 'replacement',
        type: 'string',
        // biome-ignore lint/suspicious/noTemplateCurlyInString: this is what users write
        text: '`$1` and `${name}` are groups, `$$` is a dollar sign. A name is as long as it can be: write `${1}a`, not `$1a`.'
      }
    ],
    example: {
      yaml: `gsub: { field: card, pattern: '\\d{4}-', replacement: "****-" }`,
      input: '{"card":"1234-5678-9012"}',
      output: '{"card":"****-****-9012"}'
    }
  }
})

export const gsub = createGsub(defaultTextLength)

function required(options: ProcessorOptions, key: string): string {
  const text = options.text(key)
  if (text === undefined) throw options.error(`${key} is required`)
  return text
}
