// All functions by name, one family a file.
import { DbError } from '../../../core/index.ts'
import type { Evaluation } from '../engine/evaluation.ts'
import type { Grid, Value } from '../engine/series.ts'
import type { Call } from '../language/ast.ts'
import { absence } from './absent.ts'
import type { Family } from './call.ts'
import { conversions } from './convert.ts'
import { nativeHistograms } from './histogram.ts'
import { classicHistograms } from './histogram-classic.ts'
import { information } from './info.ts'
import { labels } from './label.ts'
import { mathematics } from './math.ts'
import { overRange } from './range.ts'
import { rangeFunctions } from './range-functions.ts'
import { sorting } from './sort.ts'
import { times } from './time.ts'

const functions: Family = {
  ...absence,
  ...classicHistograms,
  ...conversions,
  ...information,
  ...labels,
  ...mathematics,
  ...nativeHistograms,
  ...Object.fromEntries(Object.entries(rangeFunctions).map(([name, ranged]) => [name, overRange(ranged)])),
  ...sorting,
  ...times
}

export async function callFunction(evaluation: Evaluation, call: Call, grid: Grid): Promise<Value> {
  const implementation = functions[call.name]
  if (implementation === undefined) throw new DbError('Unsupported', `function "${call.name}" is not implemented`)
  return implementation(evaluation, call, grid)
}
