// The family of codecs: values as text, texts as other texts, and back.
import type { FunctionSpec } from '../../function.ts'
import { baseCodecs } from './base.ts'
import { compressors } from './compress.ts'
import { jsonCodecs } from './json.ts'
import { percentCodecs } from './percent.ts'

export const codecs: readonly FunctionSpec[] = [...baseCodecs, ...compressors, ...jsonCodecs, ...percentCodecs]
