// All functions of range vectors by name.
import { changes } from './changes.ts'
import { overTime } from './over-time.ts'
import { quantiles } from './quantile-over-time.ts'
import type { RangeFamily } from './range-function.ts'
import { rates } from './rate.ts'
import { regressions } from './regression.ts'

export const rangeFunctions: RangeFamily = { ...changes, ...overTime, ...quantiles, ...rates, ...regressions }
