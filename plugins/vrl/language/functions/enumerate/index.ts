// Functions on the contents of arrays and objects.
import type { FunctionSpec } from '../../function.ts'
import { compacting } from './compact.ts'
import { counting } from './count.ts'
import { flattening } from './flatten.ts'

export const enumerations: readonly FunctionSpec[] = [...compacting, ...counting, ...flattening]
