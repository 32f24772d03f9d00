// The kinds of processors with the limits of a configuration.
import type { ProcessorDefinition } from '../services.ts'
import { createGsub } from './processor/gsub.ts'
import { builtInKinds } from './processor/index.ts'
import { createJsonParse } from './processor/json-parse.ts'
import { createJsonPath } from './processor/json-path.ts'
import { createVrl, type VrlSettings } from './processor/vrl.ts'
import type { ScriptLimits } from './script/limits.ts'

export interface KindOptions extends Omit<VrlSettings, 'limits'> {
  readonly scripts: ScriptLimits
  /** Values a path of `json_path` may look at. */
  readonly pathValues: number
  /** Characters a text may have once its matches are replaced. */
  readonly textLength: number
  /** Values the texts that `json_parse` reads may have. */
  mostValues(): number
}

export function createKinds({ scripts, count, log, pathValues, textLength, mostValues }: KindOptions) {
  const own = [
    ...builtInKinds,
    createVrl({ limits: scripts, count, log }),
    createJsonParse(mostValues),
    createJsonPath(pathValues),
    createGsub(textLength)
  ]
  return new Map<string, ProcessorDefinition>(own.map(definition => [definition.kind, definition]))
}
