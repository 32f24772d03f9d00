// Reduces messages to their templates: what changes from message to message is taken out.
import { compileRegex, type LinearRegex } from '../../../core/compute.ts'
import type { ProcessorDefinition, ProcessorOptions } from '../../services.ts'
import { mapTexts } from './cells.ts'
import { compilePattern, patternSyntax } from './pattern.ts'

const quotes = `"'“”‘’`
const opening = '({\\[<「『【〔［｛〈《（＜'
const closing = ')}\\]>」』】〕］｝〉》）＞'
const hex = '[0-9a-fA-F]'

/** Each preset is removed by its patterns one after the other. */
const presets: Readonly<Record<string, readonly string[]>> = {
  numbers: ['\\d+'],
  uuid: [`${hex}{8}-${hex}{4}-${hex}{4}-${hex}{4}-${hex}{12}`],
  ip: ['\\[[0-9a-fA-F:]+\\](?::\\d+)?', '\\d{1,3}\\.\\d{1,3}\\.\\d{1,3}\\.\\d{1,3}(?::\\d+)?'],
  quoted: [`[${quotes}][^${quotes}]*[${quotes}]`],
  bracketed: [`[${opening}][^${opening}${closing}]*[${closing}]`]
}

const decoder = new TextDecoder()

export const digest: ProcessorDefinition = {
  kind: 'digest',
  compile(options, path) {
    const patterns = readPatterns(options)
    const change = (bytes: Uint8Array, start: number, end: number) => {
      const text = decoder.decode(bytes.subarray(start, end))
      const left = patterns.reduce((rest, pattern) => pattern.replace(rest, ''), text)
      return left === text ? undefined : left
    }
    return mapTexts(
      options,
      { kind: 'digest', path },
      change,
      options.fields.map(({ from }) => ({ from, to: `${from}_digest` }))
    )
  },
  doc: {
    summary:
      'Removes the changing parts of a message, so that messages of one kind become equal. The result is `<field>_digest`, whatever new ' +
      'name is given. Patterns are removed one after the other in the order of the document, `regex` before `presets` where it stands ' +
      'before. Put `numbers` last: it breaks addresses and UUIDs into pieces that no other preset knows.',
    options: [
      {
        name: 'presets',
        type: 'list of `numbers`, `uuid`, `ip`, `quoted`, `bracketed`',
        default: 'none',
        text:
          'Runs of digits; UUIDs; IPv4 addresses and IPv6 addresses in square brackets, with their ports; text in quotes; text in ' +
          'brackets of any kind.'
      },
      { name: 'regex', type: 'list of strings', default: 'none', text: `Regular expressions (${patternSyntax}).` }
    ],
    example: {
      yaml: 'digest: { field: m, presets: [uuid, ip, quoted, numbers] }',
      input: '{"m":"user \\"eva\\" from 10.1.2.3 took 45 ms"}',
      output: '{"m":"user \\"eva\\" from 10.1.2.3 took 45 ms","m_digest":"user  from  took  ms"}'
    }
  }
}

function readPatterns(options: ProcessorOptions): LinearRegex[] {
  const named = options.texts('presets') ?? []
  const own = options.texts('regex') ?? []
  const patterns: LinearRegex[] = []
  for (const key of options.entries.keys()) {
    if (key === 'presets') patterns.push(...named.flatMap(name => presetPatterns(name, options)))
    if (key === 'regex') patterns.push(...own.map(source => compilePattern(options, source)))
  }
  return patterns
}

function presetPatterns(name: string, options: ProcessorOptions): LinearRegex[] {
  const sources = Object.hasOwn(presets, name) ? presets[name] : undefined
  if (sources === undefined) {
    throw options.error(`Wrong digest pattern: ${name}, expected one of ${Object.keys(presets).join(', ')}`)
  }
  return sources.map(source => compileRegex(source))
}
