// Completion for pipeline documents: kinds of processors, their options, other keys.

import processors from 'virtual:processors'
import type { Completion, CompletionContext, CompletionResult } from '@codemirror/autocomplete'
import { yaml, yamlLanguage } from '@codemirror/lang-yaml'
import type { Extension } from '@codemirror/state'

const top: readonly Completion[] = [
  { label: 'version', info: '1, the default, or 2: columns that are not listed are kept.' },
  { label: 'description', info: 'What it is for.' },
  { label: 'processors', info: 'Steps that every item goes through, in order.' },
  { label: 'transform', info: 'Fields that become columns, with type and index.' },
  { label: 'dispatcher', info: 'Hands items on to other pipelines by the value of a field.' },
  { label: 'table_suffix', info: 'Goes behind the name of the table; may hold values of fields.' }
]

const transform: readonly Completion[] = [
  { label: 'field', info: 'Name of the field; "from, to" renames.' },
  { label: 'fields', info: 'Several of them.' },
  { label: 'type', info: 'Such as string, int32, float64, boolean, time, epoch, json.' },
  { label: 'index', info: 'timestamp, tag, fulltext, skipping or inverted.' },
  { label: 'on_failure', info: 'ignore or default.' },
  { label: 'default', info: 'Where the field is missing.' }
]

const common: readonly Completion[] = [
  { label: 'field', info: 'The field it works on; "from, to" writes another one.' },
  { label: 'fields', info: 'Several of them.' },
  { label: 'ignore_missing', info: 'true: an item without the field passes.' }
]

export function pipelineLanguage(): Extension {
  return [yaml(), yamlLanguage.data.of({ autocomplete: complete })]
}

function complete(context: CompletionContext): CompletionResult | null {
  const word = context.matchBefore(/\w*/)
  if (word === null || (word.from === word.to && !context.explicit)) return null
  const line = context.state.doc.lineAt(context.pos)
  const before = line.text.slice(0, word.from - line.from)
  if (!/^[\s-]*$/.test(before)) return null
  const options = optionsAt(context, line.number, before)
  return { from: word.from, options: options.map(asKey), validFor: /^\w*$/ }
}

function optionsAt(context: CompletionContext, line: number, before: string): readonly Completion[] {
  if (before === '') return top
  const section = above(context, line, /^(\w+):/)
  if (section === 'transform') return transform
  if (section !== 'processors') return []
  if (/-\s*$/.test(before)) return kinds
  const kind = above(context, line, /^\s*-\s+(\w+):/)
  const own = processors.find(processor => processor.kind === kind)?.options ?? []
  return [...own.map(({ name, type, text }) => ({ label: name, detail: type, info: text })), ...common]
}

const kinds: readonly Completion[] = processors.map(({ kind, summary }) => ({
  label: kind,
  ...(summary !== undefined && { info: summary })
}))

/** The first group of the pattern in the nearest line above that matches. */
function above({ state }: CompletionContext, line: number, pattern: RegExp): string | undefined {
  for (let number = line - 1; number > 0; number--) {
    const found = pattern.exec(state.doc.line(number).text)
    if (found !== null) return found[1]
  }
  return undefined
}

function asKey(completion: Completion): Completion {
  return { type: 'property', apply: `${completion.label}: `, ...completion }
}
