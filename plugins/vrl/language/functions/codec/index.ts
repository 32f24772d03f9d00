// The family of codecs: values as text, texts as other texts, and back.
import type { FunctionSpec } from '../../function.ts'
import { baseCodecs } from './base.ts'
import { charsetCodecs } from './charset.ts'
import { compressors } from './compress.ts'
import { csvCodecs } from './csv.ts'
import { jsonCodecs } from './json.ts'
import { keyValueCodecs } from './key-value.ts'
import { lz4Codecs } from './lz4.ts'
import { mimeCodecs } from './mime.ts'
import { percentCodecs } from './percent.ts'
import { protoCodecs } from './proto.ts'
import { punycodeCodecs } from './punycode.ts'

export const codecs: readonly FunctionSpec[] = [
  ...baseCodecs,
  ...charsetCodecs,
  ...compressors,
  ...csvCodecs,
  ...jsonCodecs,
  ...keyValueCodecs,
  ...lz4Codecs,
  ...mimeCodecs,
  ...percentCodecs,
  ...protoCodecs,
  ...punycodeCodecs
]
