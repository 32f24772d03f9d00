// Reading YAML.

import { type Document, isAlias, isMap, isNode, isScalar, isSeq, parseDocument } from 'yaml'
import { maxDepth } from '../../bounds.ts'
import { type Context, step } from '../../context.ts'
import { type FunctionSpec, fail } from '../../function.ts'
import { kinds } from '../../kind.ts'
import { writeValue } from '../../text.ts'
import { isText, lossy, type Text, type Value } from '../../value.ts'

export const yamlParser: FunctionSpec = {
  name: 'parse_yaml',
  summary: 'Reads one YAML document.',
  params: [{ name: 'value', kind: kinds.string }],
  returns: kinds.json,
  fallible: true,
  prepare:
    ({ context }) =>
    (value: Text) =>
      readYaml(context, lossy(value)),
  examples: [
    { title: 'An object', source: 'parse_yaml!("a: 1\\nb: [2.0, yes, ~]")', result: '{"a":1,"b":[2.0,"yes",null]}' },
    { title: 'Broken', source: 'parse_yaml!("a: [")', raises: 'unable to parse yaml' }
  ]
}

/** Characters of a key that is not text. */
const maxKey = 65_536

/** Nesting that a text of brackets or dashes could bring about. The reader recurses, so its depth is limited before it starts. */
function tooDeep(text: string): boolean {
  let depth = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === 0x5b || code === 0x7b) depth++
    else if ((code === 0x5d || code === 0x7d) && depth > 0) depth--
    if (depth > maxDepth) return true
  }
  return text.split('\n').some(line => /^(?:[-?:] *){129}/.test(line.trimStart()))
}

function readYaml(context: Context, text: string): Value {
  if (tooDeep(text)) throw broken(`it is nested deeper than ${maxDepth} levels`)
  let document: Document.Parsed
  try {
    document = parseDocument(text, { intAsBigInt: true, prettyErrors: false, logLevel: 'error', version: '1.2' })
  } catch (error) {
    throw broken(error instanceof Error ? error.message : String(error))
  }
  const problem = document.errors[0]
  if (problem !== undefined) throw broken(`${problem.message} at position ${problem.pos[0]}`)
  return convert({ context, anchors: new Map() }, document.contents, 0)
}

function broken(why: string) {
  return fail(`unable to parse yaml: ${why}`)
}

interface Conversion {
  readonly context: Context
  /** Values that have a name. Aliases share them, so that aliases of aliases take no memory. */
  readonly anchors: Map<string, Value>
}

function convert(state: Conversion, node: unknown, depth: number): Value {
  step(state.context)
  if (depth > maxDepth) throw broken(`it is nested deeper than ${maxDepth} levels`)
  if (isAlias(node)) {
    const value = state.anchors.get(node.source)
    if (value === undefined) throw broken(`the alias "${node.source}" stands for nothing before it`)
    return value
  }
  const value = convertNode(state, node, depth)
  if (isNode(node) && node.anchor !== undefined) state.anchors.set(node.anchor, value)
  return value
}

function convertNode(state: Conversion, node: unknown, depth: number): Value {
  if (isSeq(node)) return node.items.map(item => convert(state, item, depth + 1))
  if (isScalar(node)) return scalar(node.value)
  if (!isMap(node)) return null
  const map = new Map<string, Value>()
  for (const { key, value } of node.items) map.set(keyOf(state, key, depth), convert(state, value, depth + 1))
  return map
}

function keyOf(state: Conversion, node: unknown, depth: number): string {
  const key = convert(state, node, depth + 1)
  return isText(key) ? lossy(key) : writeValue(key, maxKey)
}

function scalar(value: unknown): Value {
  switch (typeof value) {
    case 'string':
      if (!value.isWellFormed()) throw broken('a text is not Unicode')
      return value
    case 'boolean':
      return value
    case 'bigint':
      return value === BigInt.asIntN(64, value) ? value : Number(value)
    case 'number':
      if (Number.isNaN(value)) throw broken('NaN is not a value of the language')
      return value
    default:
      return null
  }
}
