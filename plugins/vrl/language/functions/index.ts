// All functions of the language, by name.
import type { FunctionSpec } from '../function.ts'
import { arrays } from './array.ts'
import { checksums } from './checksum/index.ts'
import { codecs } from './codec/index.ts'
import { coercions } from './coerce.ts'
import { cryptography } from './crypto/index.ts'
import { datadog } from './datadog/index.ts'
import { debugging } from './debug.ts'
import { entries } from './entry.ts'
import { enumerations } from './enumerate/index.ts'
import { geoFunctions } from './geo.ts'
import { addresses } from './ip/index.ts'
import { iteration } from './iterate.ts'
import { numbers } from './number.ts'
import { objects } from './object.ts'
import { parsers } from './parse/index.ts'
import { paths } from './path.ts'
import { patterns } from './pattern.ts'
import { randoms } from './random.ts'
import { schemaFunction } from './schema/index.ts'
import { strings } from './string.ts'
import { syslogWords } from './syslog.ts'
import { system } from './system.ts'
import { tags } from './tag.ts'
import { texts } from './text/index.ts'
import { times } from './time.ts'
import { types } from './type.ts'

const families: readonly (readonly FunctionSpec[])[] = [
  addresses,
  arrays,
  checksums,
  codecs,
  coercions,
  cryptography,
  datadog,
  debugging,
  entries,
  enumerations,
  iteration,
  numbers,
  objects,
  parsers,
  paths,
  patterns,
  geoFunctions,
  randoms,
  strings,
  syslogWords,
  system,
  [schemaFunction],
  tags,
  texts,
  times,
  types
]

export const standardLibrary: ReadonlyMap<string, FunctionSpec> = new Map(
  families.flat().map(spec => [spec.name, spec])
)
