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
  const targets = await describe(evaluation, selector, grid)
  const results = new Map<string, Series>()
  for (const each of series) {
    // Info metrics themselves are returned unchanged.
    const isInfo = isNamed.length > 0 && isNamed.every(test => test(each.labels.get(metricName)))
    const described = isInfo ? undefined : targets.get(targetOf(each.labels))
    for (let step = 0; step < grid.count; step++) {
      if (each.kinds[step] === none) continue
      const labels = isInfo ? each.labels : joined(each.labels, described?.labelsAt(step) ?? [], matchers)
      if (labels === undefined) continue
      put(
        entry(results, labels.key, () => newSeries(labels, grid.count)),
        step,
        at(each, step)
      )
    }
    if (evaluation.budget.isDue) await evaluation.budget.pause()
  }
  return { type: 'vector', series: [...results.values()].filter(each => !isEmpty(each)) }
}

/** The info metrics of one target. */
interface Target {
  /** Labels of the latest sample of each info metric. */
  labelsAt(step: number): readonly Labels[]
}

/** Keyed by `targetOf`. */
async function describe(evaluation: Evaluation, selector: VectorSelector, grid: Grid): Promise<Map<string, Target>> {
  const targets = new Map<string, Map<string, Series[]>>()
  for (const times of await selectVector(evaluation, selector, grid, true)) {
    const metrics = entry(targets, targetOf(times.labels), () => new Map<string, Series[]>())
    entry(metrics, times.labels.get(metricName), () => []).push(times)
  }
  const toTarget = (metrics: ReadonlyMap<string, readonly Series[]>): Target => ({
    labelsAt: step => [...metrics.values()].flatMap(all => latest(all, step) ?? [])
  })
  return new Map([...targets].map(([target, metrics]) => [target, toTarget(metrics)]))
}

/** The series' values are the times of samples; finds the latest. */
function latest(all: readonly Series[], step: number): Labels | undefined {
  let found: Series | undefined
  for (const each of all) {
    if (each.kinds[step] === none) continue
    const [time, other] = [each.values[step]!, found?.values[step] ?? Number.NEGATIVE_INFINITY]
    if (time === other) {
      // Sorted, because the order of series must not affect the message.
      const [existing, added] = [found!, each].map(({ labels }) => String(labels)).sort()
      const both = `existing ${existing} @ ${time * 1_000}, new ${added} @ ${time * 1_000}`
      throw executionError(`found duplicate series for info metric: ${both}`)
    }
    if (time > other) found = each
  }
  return found?.labels
}

function targetOf(labels: Labels): string {
  return identifying.map(name => labels.get(name)).join('\u0000')
}

/** Adds the labels that the matchers name, or all; undefined if a matcher that requires a value finds none. */
function joined(labels: Labels, described: readonly Labels[], matchers: readonly Matcher[]): Labels | undefined {
  const wanted = new Set(matchers.map(({ name }) => name))
  const added = new Map<string, string>()
  for (const own of described) {
    for (const [name, value] of own) {
      if (name === metricName || identifying.includes(name) || labels.get(name) !== '') continue
      if (wanted.size > 0 && !wanted.has(name)) continue
      if ((added.get(name) ?? value) !== value) throw executionError(`conflicting label: ${name}`)
      added.set(name, value)
    }
  }
  // The selector has applied the matchers already; if nothing was found, a matcher that requires a value fails.
  const missing = described.length === 0 && matchers.some(matcher => !compileMatcher(matcher)(''))
  return missing ? undefined : labels.with(added)
}

export const information: Family = { info }
