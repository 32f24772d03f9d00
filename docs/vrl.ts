// The page of the script language's functions: signatures, what can fail, and the examples that a test runs.
import type { Call, Example, FunctionSpec, Param } from '../plugins/vrl/language/function.ts'
import { compile, standardLibrary, writeValue } from '../plugins/vrl/language/index.ts'
import { type Kind, kinds, kindText } from '../plugins/vrl/language/kind.ts'

const introduction = `# Functions of scripts

What a [script](pipelines.md#scripts) of the processor \`vrl\` can call, in the order of the alphabet. Generated from the functions themselves by \`npm run docs\`; every example is a test.

- Arguments stand in the order of the parameters, or by name: \`contains(.a, "x", case_sensitive: false)\`. A \`?\` marks a parameter that may be left out, \`=\` what it is then.
- A function that *can fail* must be called with a \`!\`, or its error handled. So must any function that is given something that is perhaps not of the right kind.
- In the examples \`.\` is an empty object unless they say otherwise. Times are shown as text.
`

export function functionReference(): string {
  const sorted = [...standardLibrary.values()].sort((a, b) => (a.name < b.name ? -1 : 1))
  const offered = sorted.filter(({ refused }) => refused === undefined)
  const refused = sorted.filter(spec => spec.refused !== undefined)
  const index = offered.map(({ name }) => `[${name}](#${name})`).join(' · ')
  return `${[introduction, `${index}\n`, ...offered.map(section)].join('\n')}\n${refusals(refused)}`
}

function refusals(refused: readonly FunctionSpec[]): string {
  const lines = refused.map(({ name, refused }) => `| \`${name}\` | ${cell(refused!)} |`)
  const head = 'Scripts that call one of these are refused when the pipeline is created.'
  return `## Not available\n\n${head}\n\n| Function | Why |\n|---|---|\n${lines.join('\n')}\n`
}

function section(spec: FunctionSpec): string {
  const { name, summary, params, examples } = spec
  const notes = params.flatMap(param => note(param) ?? [])
  const list = notes.length === 0 ? '' : `${notes.join('\n')}\n\n`
  const shown = `\`\`\`coffee\n${examples.map(exampleText).join('\n\n')}\n\`\`\``
  return `## ${name}\n\n\`${signature(spec)}\` ${failing(spec)}\n\n${summary}\n\n${list}${shown}\n`
}

function signature(spec: FunctionSpec): string {
  const { name, params, closure } = spec
  const block = closure === undefined ? '' : ' -> |…| { … }'
  return `${name}(${params.map(parameter).join(', ')})${block}: ${kindText(resultKind(spec))}`
}

function parameter({ name, kind, optional, default: byDefault, path }: Param): string {
  const type = path === true ? 'path' : kindText(kind)
  if (byDefault !== undefined) return `${name}?: ${type} = ${writeValue(byDefault)}`
  return `${name}${optional === true ? '?' : ''}: ${type}`
}

function failing({ fallible = false }: FunctionSpec): string {
  if (typeof fallible === 'function') return 'can fail, depending on its arguments'
  return fallible ? 'can fail' : 'cannot fail'
}

function note({ name, constant, oneOf }: Param): string | undefined {
  const parts = [
    ...(oneOf === undefined ? [] : [`one of ${oneOf.map(text => `\`${text}\``).join(', ')}`]),
    ...(constant === true ? ['must be known when the pipeline is created'] : [])
  ]
  return parts.length === 0 ? undefined : `- \`${name}\`: ${parts.join('; ')}`
}

/** Of a call with arguments of which nothing is known but that they fit; where more must be known, of the first example. */
function resultKind({ params, returns, closure, examples }: FunctionSpec): Kind {
  if (typeof returns !== 'function') return returns
  const find = (name: string) => params.find(param => param.name === name)!
  const constant = (name: string) => {
    const { constant: known, default: byDefault, oneOf } = find(name)
    return byDefault ?? (known === true ? oneOf?.[0] : undefined)
  }
  const call = {
    given: () => false,
    kind: (name: string) => find(name).kind,
    constant,
    path: () => ({ path: ['a'], kind: kinds.any, rootKind: kinds.object }),
    closure: { kind: closure?.returns ?? kinds.any }
  }
  try {
    return returns(call as unknown as Call)
  } catch {
    return compile(examples[0]!.source).program?.kind ?? kinds.any
  }
}

function exampleText({ title, source, event, result, raises }: Example): string {
  const item = event === undefined ? '' : `. is ${event}`
  const head = [title, item].filter(Boolean).join(': ')
  const end = raises === undefined ? `= ${result}` : `fails: ${raises}`
  return `# ${head}\n${source.trim()}\n# ${end}`
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|')
}
