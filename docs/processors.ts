// The page of processor kinds: options and an example of each.
import { processors } from '../plugins/processors.ts'
import type { ProcessorDefinition, ProcessorDoc } from '../plugins/services.ts'

const introduction = `# Processors

Steps of a [pipeline](pipelines.md), in the order of the alphabet. Generated from the processors themselves by \`npm run docs\`.

Unless a processor says otherwise:

- \`field: NAME\` or \`fields: [NAME, …]\` say which fields it reads; of both the later counts. A name may be \`in\`, \`"in, out"\` or \`{ key: in, rename_to: out }\`; with a new name the result goes there and the field stays as it is.
- \`ignore_missing: true\` passes items that lack the field, or have null in it. Otherwise such an item fails. A value of another type always fails.
- Options it does not know are ignored.
`

export function processorReference(): string {
  const sorted = processors.toSorted((a, b) => (a.kind < b.kind ? -1 : 1))
  return [introduction, ...sorted.map(section)].join('\n')
}

function section({ kind, doc }: ProcessorDefinition): string {
  return `## ${kind}\n${doc === undefined ? '' : `\n${body(doc)}`}`
}

function body({ summary, options, example }: ProcessorDoc): string {
  return `${summary}\n\n${optionTable(options)}${exampleText(example)}`
}

function optionTable(options: ProcessorDoc['options']): string {
  if (options.length === 0) return ''
  const rows = options.map(({ name, type, default: byDefault, text }) =>
    row([`\`${name}\``, type, byDefault ?? 'required', text])
  )
  return `${[row(['Option', 'Type', 'Default', 'Meaning']), '|---|---|---|---|', ...rows].join('\n')}\n\n`
}

function row(cells: readonly string[]): string {
  return `| ${cells.map(cell => cell.replaceAll('|', '\\|')).join(' | ')} |`
}

function exampleText({ yaml, input, output }: ProcessorDoc['example']): string {
  const entry = `- ${yaml.trimEnd().replaceAll('\n', '\n  ')}`
  return `\`\`\`yaml\n${entry}\n\`\`\`\n\n\`${input}\` becomes \`${output}\`\n`
}
