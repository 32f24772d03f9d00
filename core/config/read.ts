// Reads a raw table by its schema: fills in defaults, converts durations and sizes to numbers, and collects all problems.
import type { TSchema } from 'typebox'
import { Check } from 'typebox/schema'
import { didYouMean } from './closest.ts'
import type { ConfigProblem } from './error.ts'
import type { KeyOptions } from './schema.ts'
import { formatDuration, formatSize, parseDuration, parseSize } from './units.ts'

/** The parts of a schema that are used. */
export interface SchemaNode extends KeyOptions {
  readonly type?: string
  readonly description?: string
  readonly default?: unknown
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly anyOf?: readonly SchemaNode[]
  readonly pattern?: string
  readonly minLength?: number
  readonly minimum?: number
  readonly maximum?: number
  readonly items?: SchemaNode
  readonly properties?: Readonly<Record<string, SchemaNode>>
  readonly patternProperties?: Readonly<Record<string, SchemaNode>>
  readonly additionalProperties?: boolean | SchemaNode
  readonly required?: readonly string[]
}

type Path = readonly string[]
type Report = (path: Path, message: string) => void
type Table = Readonly<Record<string, unknown>>

/**
 * The value of raw input by a schema, and all problems found; the value is valid only without problems. Unknown keys are problems unless the
 * schema allows `additionalProperties`. `path` is the key path of the input in the configuration.
 */
export function readTable(schema: TSchema, input: unknown, path: Path = []) {
  const problems: ConfigProblem[] = []
  const value = read(schema as SchemaNode, input, path, (at, message) => problems.push({ path: at, message }))
  return { value, problems: problems as readonly ConfigProblem[] }
}

function read(node: SchemaNode, input: unknown, path: Path, report: Report): unknown {
  if (node.unit !== undefined) return readUnit(node, input, path, report)
  if (node.anyOf !== undefined) return readUnion(node.anyOf, input, path, report)
  if (node.enum !== undefined || node.const !== undefined) return readChoice(node, input, path, report)
  switch (node.type) {
    case 'object':
      return readObject(node, input, path, report)
    case 'array':
      return readArray(node, input, path, report)
    case 'string':
      return readText(node, input, path, report)
    case 'integer':
    case 'number':
      return readNumber(node, input, path, report)
    case 'boolean':
      if (typeof input !== 'boolean') report(path, `expected true or false, got ${show(input)}`)
      return input
    default:
      if (!Check(node as TSchema, input)) report(path, `not a valid value: ${show(input)}`)
      return input
  }
}

function readUnit(node: SchemaNode, input: unknown, path: Path, report: Report): number {
  const isSize = node.unit === 'size'
  const plain = typeof input === 'number' && Number.isSafeInteger(input) && (isSize || input === 0) ? input : undefined
  const value = typeof input === 'string' ? (isSize ? parseSize(input) : parseDuration(input)) : plain
  const format = isSize ? formatSize : formatDuration
  if (value === undefined || value < 0) {
    report(
      path,
      `expected a ${isSize ? 'size such as "64MiB"' : 'duration such as "30s" or "1h 30m"'}, got ${show(input)}`
    )
    return 0
  }
  if (value < (node.minimum ?? 0)) report(path, `expected at least ${format(node.minimum!)}, got ${show(input)}`)
  return value
}

function readUnion(nodes: readonly SchemaNode[], input: unknown, path: Path, report: Report): unknown {
  if (nodes.every(node => node.const !== undefined))
    return readChoice({ enum: nodes.map(node => node.const) }, input, path, report)
  const attempts = nodes.map(node => {
    const messages: { path: Path; message: string }[] = []
    const value = read(node, input, path, (at, message) => messages.push({ path: at, message }))
    return { value, messages }
  })
  const fitting = attempts.find(attempt => attempt.messages.length === 0)
  if (fitting !== undefined) return fitting.value
  const reasons = attempts.map(attempt => attempt.messages[0]!.message)
  report(path, reasons.join(', or '))
  return input
}

function readChoice(node: SchemaNode, input: unknown, path: Path, report: Report): unknown {
  const allowed = node.enum ?? [node.const]
  if (allowed.includes(input)) return input
  const hint = typeof input === 'string' ? didYouMean(input, allowed.map(String)) : ''
  report(path, `expected ${listWords(allowed.map(show))}, got ${show(input)}${hint}`)
  return input
}

function readText(node: SchemaNode, input: unknown, path: Path, report: Report): unknown {
  if (typeof input !== 'string') report(path, `expected a text, got ${show(input)}`)
  else if (input.length < (node.minLength ?? 0)) report(path, 'expected a text that is not empty')
  else if (node.pattern !== undefined && !new RegExp(node.pattern).test(input)) {
    const got = node.secret ? '' : `, got ${show(input)}`
    report(path, `expected ${node.expected ?? `a text that matches ${node.pattern}`}${got}`)
  }
  return input
}

function readNumber(node: SchemaNode, input: unknown, path: Path, report: Report): unknown {
  const word = node.type === 'integer' ? 'a whole number' : 'a number'
  if (typeof input !== 'number' || !Number.isFinite(input) || (node.type === 'integer' && !Number.isInteger(input)))
    report(path, `expected ${word}, got ${show(input)}`)
  else if (input < (node.minimum ?? -Infinity)) report(path, `expected at least ${node.minimum}, got ${input}`)
  else if (input > (node.maximum ?? Infinity)) report(path, `expected at most ${node.maximum}, got ${input}`)
  return input
}

function readArray(node: SchemaNode, input: unknown, path: Path, report: Report): unknown {
  if (!Array.isArray(input)) {
    report(path, `expected a list, got ${show(input)}`)
    return input
  }
  return input.map((item, index) => read(node.items ?? {}, item, [...path, String(index)], report))
}

function readObject(node: SchemaNode, input: unknown, path: Path, report: Report): unknown {
  if (!isTable(input)) {
    report(path, `expected a table, got ${show(input)}`)
    return input
  }
  const result: Record<string, unknown> = {}
  const properties = node.properties ?? {}
  for (const [key, child] of Object.entries(properties)) {
    const given = Object.hasOwn(input, key) ? input[key] : absent(child)
    if (given !== undefined) result[key] = read(child, given, [...path, key], report)
    else if (node.required?.includes(key)) report([...path, key], 'this key is required')
  }
  const rest = Object.values(node.patternProperties ?? {})[0] ?? node.additionalProperties ?? false
  for (const [key, value] of Object.entries(input)) {
    if (Object.hasOwn(properties, key)) continue
    if (rest === false) report([...path, key], `unknown key${didYouMean(key, Object.keys(properties))}`)
    else result[key] = rest === true ? value : read(rest, value, [...path, key], report)
  }
  return result
}

/** The default of a key, in the form a file would have it. */
function absent(node: SchemaNode): unknown {
  if (node.default !== undefined) return node.unit === undefined ? node.default : `${writeUnit(node, node.default)}`
  return node.type === 'object' && node.properties !== undefined && !('~optional' in node) ? {} : undefined
}

/** A loaded value as text with its unit; values without a unit are returned as they are. */
export function writeUnit(node: SchemaNode, value: unknown): unknown {
  if (node.unit === undefined || typeof value !== 'number') return value
  return node.unit === 'size' ? formatSize(value) : formatDuration(value)
}

export function isTable(value: unknown): value is Table {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date)
}

/** `a, b or c`. */
function listWords(words: readonly string[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`
}

function show(value: unknown): string {
  if (isTable(value)) return 'a table'
  if (Array.isArray(value)) return 'a list'
  return typeof value === 'string' ? JSON.stringify(value) : String(value)
}
