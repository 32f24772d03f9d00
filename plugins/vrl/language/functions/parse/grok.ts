// Reading texts by grok expressions: regular expressions that name patterns of a library.
import { maxGrokDepth, maxPatternLength } from '../../bounds.ts'
import { type FunctionSpec, fail } from '../../function.ts'
import { kinds, objectOf, union } from '../../kind.ts'
import { Regex } from '../../regex.ts'
import { isText, lossy, type Text, type Value } from '../../value.ts'
import { grokPatterns } from './grok-patterns.ts'

export const grokParser: FunctionSpec = {
  name: 'parse_grok',
  summary: 'The named parts of a text that matches a grok expression.',
  params: [
    { name: 'value', kind: kinds.string },
    { name: 'pattern', kind: kinds.string, constant: true }
  ],
  returns: objectOf({}, union(kinds.string, kinds.null)),
  fallible: true,
  prepare: call => {
    const source = call.constant('pattern')!
    let grok: Grok
    try {
      grok = compileGrok(isText(source) ? lossy(source) : '')
    } catch (error) {
      throw call.invalid('pattern', error instanceof Error ? error.message : String(error))
    }
    return (value: Text) => {
      const found = grok.exec(lossy(value))
      if (found === undefined) throw fail('unable to parse input with grok pattern')
      return found
    }
  },
  examples: [
    {
      title: 'A line of a log',
      source:
        'parse_grok!("2025-03-04T05:06:07Z info up at last", "%{TIMESTAMP_ISO8601:time} %{LOGLEVEL:level} %{GREEDYDATA:message}")',
      result: '{"level":"info","message":"up at last","time":"2025-03-04T05:06:07Z"}'
    },
    { title: 'No match', source: 'parse_grok!("x", "%{INT:n}")', raises: 'unable to parse input with grok pattern' },
    { title: 'An unknown pattern', source: 'parse_grok!("x", "%{NUMBR:n}")', raises: 'error[E610]' }
  ]
}

export interface Grok {
  /** The named parts; undefined when the text does not match. */
  exec(text: string): ReadonlyMap<string, Value> | undefined
}

/** Throws an Error that says what is wrong with the expression. */
export function compileGrok(source: string): Grok {
  const names = new Map<string, string>()
  const pattern = expandGrok(source, {
    define: name => grokPatterns[name],
    capture: (body, alias) => {
      const group = `grok${names.size}`
      names.set(group, alias)
      return `(?P<${group}>${body})`
    }
  })
  const regex = new Regex(pattern)
  // Tries a match at the start first: most lines match there, and an anchored search is many times faster.
  const fromStart = /^\(\?[a-zA-Z]*x/.test(pattern) ? regex : new Regex(`\\A(?:${pattern})`)
  return {
    exec(text) {
      const match = fromStart.exec(text) ?? regex.exec(text)
      if (match === undefined) return undefined
      const found = new Map<string, Value>()
      for (const [group, index] of regex.names) {
        const part = match.groups[index]
        if (part !== undefined) found.set(names.get(group) ?? group, part)
      }
      return found
    }
  }
}

interface Library {
  readonly define: (name: string) => string | undefined
  readonly capture: (body: string, alias: string) => string
}

const reference = /%\{(\w+)(?::([\w:;/\s.@[\]-]+))?(?:=((?:[^{}]|\{[^{}]*\})*))?\}/g

function expandGrok(source: string, library: Library): string {
  const defined = new Map<string, string>()
  const expand = (text: string, depth: number): string => {
    if (depth > maxGrokDepth) throw new Error('patterns name one another in a circle')
    let length = 0
    return text.replaceAll(reference, (found, name: string, alias?: string, definition?: string) => {
      if (definition !== undefined) defined.set(name, definition)
      const pattern = definition ?? defined.get(name) ?? library.define(name)
      if (pattern === undefined) throw new Error(`the pattern ${found} names "${name}", which is not a known pattern`)
      const body = expand(pattern, depth + 1)
      length += body.length
      if (length > maxPatternLength)
        throw new Error(`the expression is longer than ${maxPatternLength} characters when expanded`)
      return alias === undefined ? `(?:${body})` : library.capture(body, alias)
    })
  }
  return expand(source, 0)
}
