// The kinds of processors that come with the server.
import type { ProcessorDefinition } from '../../services.ts'
import { cmcd } from './cmcd.ts'
import { csv } from './csv.ts'
import { date } from './date.ts'
import { decolorize } from './decolorize.ts'
import { digest } from './digest.ts'
import { dissect } from './dissect.ts'
import { epoch } from './epoch.ts'
import { filter } from './filter.ts'
import { gsub } from './gsub.ts'
import { join } from './join.ts'
import { jsonParse } from './json-parse.ts'
import { jsonPath } from './json-path.ts'
import { letter } from './letter.ts'
import { regex } from './regex.ts'
import { select } from './select.ts'
import { simpleExtract } from './simple-extract.ts'
import { urlencoding } from './urlencoding.ts'

export const builtInKinds: readonly ProcessorDefinition[] = [
  cmcd,
  csv,
  date,
  decolorize,
  digest,
  dissect,
  epoch,
  filter,
  gsub,
  join,
  jsonParse,
  jsonPath,
  letter,
  regex,
  select,
  simpleExtract,
  urlencoding
]
