// info: labels of metrics that describe a target, joined onto the samples of that target. Experimental.

import { entry } from '../engine/entry.ts'
import { executionError } from '../engine/error.ts'
import type { Evaluation } from '../engine/evaluation.ts'
import { type Labels, metricName } from '../engine/labels.ts'
import { selectVector } from '../engine/select.ts'
import { at, type Grid, isEmpty, newSeries, none, put, type Series, type Value } from '../engine/series.ts'
import type { Call, Matcher, VectorSelector } from '../language/ast.ts'
import { unwrap } from '../language/ast.ts'
import { compileMatcher } from '../language/matcher.ts'
import { argument, type Family } from './call.ts'

/** Labels that tell which target a series is of. */
const identifying = ['instance', 'job']

async function info(evaluation: Evaluation, call: Call, grid: Grid): Promise<Value> {
  const series = await evaluation.vector(argument(call, 0), grid)
  const selector = unwrap(argument(call, 1)) as VectorSelector
  const matchers = selector.matchers.filter(({ name }) => name !== metricName)
  const isNamed = selector.matchers.filter(({ name }) => name === metricName).map(compileMatcher)
  const infos = new Map<string, Series[]>()
  for (const each of await selectVector(evaluation, selector, grid))
    entry(infos, targetOf(each.labels), () => []).push(each)
  const results = new Map<string, Series>()
  for (const each of series) {
    // An info metric is left as it is.
    const described =
      isNamed.length > 0 && isNamed.every(test => test(each.labels.get(metricName)))
        ? []
        : (infos.get(targetOf(each.labels)) ?? [])
    for (let step = 0; step < grid.count; step++) {
      if (each.kinds[step] === none) continue
      const labels = joined(
        each.labels,
        described.filter(({ kinds }) => kinds[step] !== none),
        matchers
      )
      if (labels === undefined) continue
      put(
        entry(results, labels.key, () => newSeries(labels, grid.count)),
        step,
        at(each, step)
      )
    }
  }
  return { type: 'vector', series: [...results.values()].filter(each => !isEmpty(each)) }
}

function targetOf(labels: Labels): string {
  return identifying.map(name => labels.get(name)).join('\u0000')
}

/** With the labels the matchers name, or all; undefined when a matcher that wants a value finds none. */
function joined(labels: Labels, described: readonly Series[], matchers: readonly Matcher[]): Labels | undefined {
  const wanted = new Set(matchers.map(({ name }) => name))
  const added = new Map<string, string>()
  for (const { labels: own } of described) {
    for (const [name, value] of own) {
      if (name === metricName || identifying.includes(name) || labels.get(name) !== '') continue
      if (wanted.size > 0 && !wanted.has(name)) continue
      if ((added.get(name) ?? value) !== value) throw executionError(`conflicting label "${name}" of info metrics`)
      added.set(name, value)
    }
  }
  const missing = matchers.some(
    matcher => !added.has(matcher.name) && labels.get(matcher.name) === '' && !compileMatcher(matcher)('')
  )
  return missing ? undefined : labels.with(added)
}

export const information: Family = { info }
