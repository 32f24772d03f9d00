// The longer functions on text.
import type { FunctionSpec } from '../../function.ts'
import { cases } from './case.ts'
import { cuts } from './cut.ts'
import { entropies } from './entropy.ts'
import { flows } from './flow.ts'
import { filePaths } from './path.ts'
import { redactions } from './redact.ts'
import { searches } from './search.ts'

export const texts: readonly FunctionSpec[] = [
  ...cases,
  ...cuts,
  ...entropies,
  ...filePaths,
  ...flows,
  ...redactions,
  ...searches
]
