// The kinds of processors: built-in ones, and those that plugins add.
import { DbError, importForeign } from '../../core/compute.ts'
import type { ProcessorDefinition, ProcessorFactory } from '../services.ts'
import { createGsub } from './processor/gsub.ts'
import { builtInKinds } from './processor/index.ts'
import { createJsonParse } from './processor/json-parse.ts'
import { createJsonPath } from './processor/json-path.ts'
import { variableNames } from './run/variables.ts'

interface KindOptions {
  /** Values a path of `json_path` may look at. */
  readonly pathValues: number
  /** Characters a text may have once its matches are replaced. */
  readonly textLength: number
  /** Values the texts that `json_parse` reads may have. */
  maxValues(): number
}

/** The module of a processor, as it is sent to threads. */
export interface ModuleNote {
  /** URL. */
  readonly module: string
  readonly settings: unknown
}

/** By name. */
export function createKinds({ pathValues, textLength, maxValues }: KindOptions): Map<string, ProcessorDefinition> {
  const own = [...builtInKinds, createJsonParse(maxValues), createJsonPath(pathValues), createGsub(textLength)]
  return new Map(own.map(definition => [definition.kind, definition]))
}

/** Loads a module and adds its kind; its name. DbError `InvalidArguments` when it makes no processor or the kind is taken. */
export async function addKind(
  kinds: Map<string, ProcessorDefinition>,
  { module, settings }: ModuleNote,
  send: (message: unknown) => void
): Promise<string> {
  const { default: made } = await importForeign(module)
  if (typeof made !== 'function')
    throw new DbError('InvalidArguments', `${module} must export a function as its default`)
  const create = made as ProcessorFactory<unknown>
  const definition = create(settings, { variables: variableNames, send })
  if (typeof definition?.kind !== 'string' || typeof definition.compile !== 'function') {
    throw new DbError('InvalidArguments', `${module} must make a processor with kind and compile`)
  }
  const { kind } = definition
  if (kinds.has(kind)) throw new DbError('InvalidArguments', `a processor of kind ${kind} is registered already`)
  kinds.set(kind, definition)
  return kind
}
