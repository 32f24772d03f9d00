// Parts of dates, all in UTC, and the times of samples.
import { mapPaced } from '../../../core/index.ts'
import { noLabels } from '../engine/labels.ts'
import { mapSeries } from '../engine/map.ts'
import { selectVector } from '../engine/select.ts'
import { newSeries, timeOf, type Value } from '../engine/series.ts'
import { unwrap } from '../language/ast.ts'
import { argument, type Family, type Implementation } from './call.ts'

const dayLength = 86_400_000

const parts: Readonly<Record<string, (date: Date) => number>> = {
  year: date => date.getUTCFullYear(),
  month: date => date.getUTCMonth() + 1,
  day_of_month: date => date.getUTCDate(),
  day_of_week: date => date.getUTCDay(),
  day_of_year: date => Math.floor((date.getTime() - Date.UTC(date.getUTCFullYear(), 0, 1)) / dayLength) + 1,
  days_in_month: date => new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate(),
  hour: date => date.getUTCHours(),
  minute: date => date.getUTCMinutes()
}

/** Without an argument, of the evaluation time. */
function part(read: (date: Date) => number): Implementation {
  const ofSeconds = (seconds: number) => read(new Date(Math.trunc(seconds) * 1_000))
  return async (evaluation, call, grid): Promise<Value> => {
    if (call.args[0] !== undefined) {
      return {
        type: 'vector',
        series: await mapSeries(evaluation.budget, await evaluation.vector(call.args[0], grid), ofSeconds)
      }
    }
    const series = newSeries(noLabels, grid.count)
    series.kinds.fill(1)
    for (let step = 0; step < grid.count; step++) series.values[step] = ofSeconds(timeOf(grid, step) / 1_000)
    return { type: 'vector', series: [series] }
  }
}

/** For a selector, the time of the sample; otherwise the evaluation time. */
const timestamp: Implementation = async (evaluation, call, grid) => {
  const inner = unwrap(argument(call, 0))
  const series =
    inner.kind === 'selector' ? await selectVector(evaluation, inner, grid, true) : await evaluation.vector(inner, grid)
  if (inner.kind === 'selector')
    return { type: 'vector', series: await mapSeries(evaluation.budget, series, seconds => seconds) }
  const present = await mapPaced(evaluation.budget, series, each => ({
    ...each,
    kinds: each.kinds.map(kind => (kind === 0 ? 0 : 1))
  }))
  return {
    type: 'vector',
    series: await mapSeries(evaluation.budget, present, (_, step) => timeOf(grid, step) / 1_000)
  }
}

export const times: Family = {
  ...Object.fromEntries(Object.entries(parts).map(([name, read]) => [name, part(read)])),
  timestamp
}
