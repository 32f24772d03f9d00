// Compiles a document to a pipeline. All options are checked here, so that a run fails only because of its items.
import { DbError, didYouMean, type ItemValue, isDbError, maxJsonDepth } from '../../../core/compute.ts'
import type { ProcessorDefinition } from '../../services.ts'
import type { Dispatcher, DispatchRule, Pipeline, Step, SuffixTemplate, Transform } from '../pipeline.ts'
import { variableNames } from '../run/variables.ts'
import { type Document, type Entry, parseDocument, shortText } from './document.ts'
import { readOptions } from './option.ts'
import { compileTransforms } from './transform.ts'
import { unknownKeys } from './unknown-keys.ts'

export type ProcessorKinds = ReadonlyMap<string, ProcessorDefinition>

/** Compiles a document. Throws DbError `InvalidArguments` naming the entry and its line. */
export function compilePipeline(yaml: string, kinds: ProcessorKinds): Pipeline {
  const document = parseDocument(yaml)
  const processors = document.processors.map(entry => compileProcessor(entry, kinds))
  const { dispatcher, tableSuffix, transforms } = document
  return {
    processors,
    transform:
      transforms === undefined ? inferredTransform(processors, document) : compileTransforms(transforms, document),
    ...(dispatcher && { dispatcher: compileDispatcher(dispatcher, document) }),
    ...(tableSuffix && { suffix: compileSuffix(tableSuffix) }),
    warnings: unknownKeys(document, kinds)
  }
}

/** The unknown kinds of processors in a document; none where the document cannot be read. */
export function missingKinds(yaml: string, kinds: ProcessorKinds): readonly string[] {
  try {
    const named = parseDocument(yaml).processors.flatMap(({ value }) => (value instanceof Map ? [...value.keys()] : []))
    return named.filter(kind => typeof kind === 'string' && !kinds.has(kind)) as string[]
  } catch (error) {
    if (!isDbError(error)) throw error
    return []
  }
}

function compileProcessor({ value, where }: Entry, kinds: ProcessorKinds): Step {
  const [first] = value instanceof Map ? (value as ReadonlyMap<unknown, unknown>) : []
  if (first === undefined)
    throw new DbError('InvalidArguments', `${where}: a processor must be a map of its kind to its options`)
  const [kind, options] = first
  const definition = typeof kind === 'string' ? kinds.get(kind) : undefined
  if (definition === undefined) throw unknownKind(where, shortText(kind), kinds)
  const location = `${where}, ${definition.kind}`
  if (!(options instanceof Map))
    throw new DbError('InvalidArguments', `${location}: options must be a map, indented below the kind`)
  for (const key of options.keys()) {
    if (typeof key !== 'string')
      throw new DbError('InvalidArguments', `${location}: option ${shortText(key)} must be a string`)
  }
  const read = readOptions(options as ReadonlyMap<string, unknown>, location)
  const processor = definition.compile(read, where)
  const variables = (fields: readonly string[]) => fields.filter(name => variableNames.has(name))
  return {
    kind: definition.kind,
    where,
    writes: variables(processor.writes ?? read.fields.map(({ to }) => to)),
    reads: variables(read.fields.map(({ from }) => from)),
    apply: (batch, written) => processor.apply(batch, written),
    ...(processor.times && { times: processor.times })
  }
}

function unknownKind(where: string, kind: string, kinds: ProcessorKinds): DbError {
  const known = [...kinds.keys()].sort()
  const list = known.join(', ')
  const hint = 'kinds of plugins are known while they are on, `[plugins.NAME] enabled = true`'
  return new DbError(
    'InvalidArguments',
    `${where}: Unsupported ${kind} processor, known kinds are ${list}; ${hint}${didYouMean(kind, known)}`
  )
}

function inferredTransform(processors: readonly Step[], document: Document): Transform {
  const times = processors.flatMap(({ times = [] }) => times)
  const [time] = times
  if (time === undefined || times.length > 1) {
    throw new DbError(
      'InvalidArguments',
      'Exactly one time-related processor and one timestamp value is required to use auto transform: ' +
        `found ${times.length} fields of date and epoch processors without ignore_missing${document.line('processors')}`
    )
  }
  return { kind: 'inferred', field: time.field, unit: time.unit }
}

function compileDispatcher({ value, where }: Entry, document: Document): Dispatcher {
  if (!(value instanceof Map)) throw new DbError('InvalidArguments', `${where}: dispatcher must be a map`)
  const field: unknown = value.get('field')
  if (typeof field !== 'string')
    throw new DbError('InvalidArguments', `${where}: field is required and must be a string`)
  const rules: unknown = value.get('rules') ?? []
  if (!Array.isArray(rules)) throw new DbError('InvalidArguments', `${where}: rules must be a list`)
  return {
    field,
    rules: rules.map((rule, i) => compileRule(rule, `dispatcher.rules[${i}]${document.line('dispatcher', 'rules', i)}`))
  }
}

function compileRule(rule: unknown, where: string): DispatchRule {
  if (!(rule instanceof Map)) throw new DbError('InvalidArguments', `${where}: a rule must be a map`)
  const tableSuffix: unknown = rule.get('table_suffix')
  const pipeline: unknown = rule.get('pipeline')
  if (!rule.has('value')) throw new DbError('InvalidArguments', `${where}: value is required`)
  if (typeof tableSuffix !== 'string')
    throw new DbError('InvalidArguments', `${where}: table_suffix is required and must be a string`)
  if (pipeline !== undefined && pipeline !== null && typeof pipeline !== 'string') {
    throw new DbError('InvalidArguments', `${where}: pipeline must be a string`)
  }
  return {
    value: itemValue(rule.get('value'), where, 0),
    tableSuffix,
    where,
    ...(typeof pipeline === 'string' && { pipeline })
  }
}

/** YAML aliases can make a document expand without bound. */
function itemValue(value: unknown, where: string, depth: number): ItemValue {
  if (depth > maxJsonDepth)
    throw new DbError('InvalidArguments', `${where}: value is nested more than ${maxJsonDepth} levels`)
  if (Array.isArray(value)) return value.map(entry => itemValue(entry, where, depth + 1))
  if (!(value instanceof Map)) return value as ItemValue
  const object: { [key: string]: ItemValue } = Object.create(null)
  for (const [key, entry] of value as ReadonlyMap<unknown, unknown>) {
    object[shortText(key)] = itemValue(entry, where, depth + 1)
  }
  return object
}

function compileSuffix({ value, where }: Entry): SuffixTemplate {
  if (typeof value !== 'string') throw new DbError('InvalidArguments', `${where}: table_suffix must be a string`)
  const texts: string[] = []
  const fields: string[] = []
  let at = 0
  for (const match of value.matchAll(/\$\{([^}]*)\}/g)) {
    texts.push(value.slice(at, match.index))
    fields.push(match[1]!.trim())
    at = match.index + match[0].length
  }
  texts.push(value.slice(at))
  return { texts, fields }
}
