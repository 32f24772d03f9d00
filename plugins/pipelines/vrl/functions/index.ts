// All functions of the language, by name.
import type { FunctionSpec } from '../function.ts'
import { arrays } from './array.ts'
import { codecs } from './codec/index.ts'
import { coercions } from './coerce.ts'
import { debugging } from './debug.ts'
import { iteration } from './iterate.ts'
import { numbers } from './number.ts'
import { objects } from './object.ts'
import { parsers } from './parse/index.ts'
import { paths } from './path.ts'
import { patterns } from './pattern.ts'
import { strings } from './string.ts'
import { system } from './system.ts'
import { tags } from './tag.ts'
import { times } from './time.ts'
import { types } from './type.ts'

const families: readonly (readonly FunctionSpec[])[] = [
  arrays,
  codecs,
  coercions,
  debugging,
  iteration,
  numbers,
  objects,
  parsers,
  paths,
  patterns,
  strings,
  system,
  tags,
  times,
  types
]

export const standardLibrary: ReadonlyMap<string, FunctionSpec> = new Map(
  families.flat().map(spec => [spec.name, spec])
)
