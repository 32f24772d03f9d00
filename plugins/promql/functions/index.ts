// All functions by name, one family a file.
import { DbError } from '../../../core/index.ts'
import type { Evaluation } from '../engine/evaluation.ts'
import type { Grid, Value } from '../engine/series.ts'
import type { Call } from '../language/ast.ts'
import { absence } from './absent.ts'
import type { Family } from './call.ts'
import { changes } from './changes.ts'
import { conversions } from './convert.ts'
import { nativeHistograms } from './histogram.ts'
import { classicHistograms } from './histogram-classic.ts'
import { information } from './info.ts'
import { labels } from './label.ts'
import { mathematics } from './math.ts'
import { overTime } from './over-time.ts'
import { quantiles } from './quantile-over-time.ts'
import { rates } from './rate.ts'
import { regressions } from './regression.ts'
import { sorting } from './sort.ts'
import { times } from './time.ts'

const functions: Family = {
  ...absence,
  ...changes,
  ...classicHistograms,
  ...conversions,
  ...information,
  ...labels,
  ...mathematics,
  ...nativeHistograms,
  ...overTime,
  ...quantiles,
  ...rates,
  ...regressions,
  ...sorting,
  ...times
}

export async function callFunction(evaluation: Evaluation, call: Call, grid: Grid): Promise<Value> {
  const implementation = functions[call.name]
  if (implementation === undefined) throw new DbError('Unsupported', `function "${call.name}" is not implemented`)
  return implementation(evaluation, call, grid)
}
