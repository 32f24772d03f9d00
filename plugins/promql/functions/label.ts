// label_replace and label_join: the same values under other labels.
import { checkSteps, compileWhole, mapPaced, nameProblem, type Pace } from '../../../core/index.ts'
import { executionError } from '../engine/error.ts'
import type { Labels } from '../engine/labels.ts'
import { mergeEqual } from '../engine/map.ts'
import { relabel, type Series } from '../engine/series.ts'
import { quote } from '../language/literal.ts'
import { argument, type Family, type Implementation } from './call.ts'

/** `$1`, `${1}`, `${name}`, `$$`. */
const reference = /\$(?:(\$)|(\w+)|\{(\w+)\})/g

const labelReplace: Implementation = async (evaluation, call, grid) => {
  const [target, replacement, source, pattern] = [1, 2, 3, 4].map(i => evaluation.text(argument(call, i)))
  const regex = compilePattern(pattern!)
  requireName(target!)
  const made = new Made('label_replace')
  const change = (labels: Labels): Labels => {
    const value = labels.get(source!)
    checkSteps(source!, regex, value)
    const match = regex.exec(value)
    if (match === undefined) return labels
    const text = replacement!.replace(reference, (_, dollar, plain, braced) => {
      if (dollar !== undefined) return '$'
      const name: string = plain ?? braced
      const group = /^\d+$/.test(name) ? Number(name) : regex.names.indexOf(name)
      return match.groups[group] ?? ''
    })
    return labels.with(new Map([[target!, made.take(text)]]))
  }
  const value = await evaluation.value(argument(call, 0), grid)
  if (value.type !== 'vector') return value
  return { ...value, series: await relabelAll(evaluation.budget, value.series, change) }
}

/** Characters of all labels one call may make. */
const maxMade = 64 << 20

class Made {
  readonly #name: string
  #length = 0

  constructor(name: string) {
    this.#name = name
  }

  take(text: string): string {
    this.#length += text.length
    if (this.#length <= maxMade) return text
    throw executionError(`${this.#name}() makes labels of more than ${maxMade} characters`)
  }
}

function compilePattern(pattern: string) {
  try {
    return compileWhole(pattern)
  } catch {
    throw executionError(`invalid regular expression in label_replace(): ${pattern}`)
  }
}

const labelJoin: Implementation = async (evaluation, call, grid) => {
  const [target, separator, ...sources] = call.args.slice(1).map(each => evaluation.text(each))
  requireName(target!)
  const made = new Made('label_join')
  const change = (labels: Labels) =>
    labels.with(new Map([[target!, made.take(sources.map(source => labels.get(source)).join(separator))]]))
  const value = await evaluation.value(argument(call, 0), grid)
  if (value.type !== 'vector') return value
  return { ...value, series: await relabelAll(evaluation.budget, value.series, change) }
}

async function relabelAll(pace: Pace, series: readonly Series[], change: (labels: Labels) => Labels) {
  return mergeEqual(pace, await mapPaced(pace, series, each => relabel(each, change(each.labels))))
}

function requireName(name: string): void {
  if (name.isWellFormed() && nameProblem('column', name) === undefined) return
  throw executionError(`invalid destination label name in label_replace() or label_join(): ${quote(name)}`)
}

export const labels: Family = { label_replace: labelReplace, label_join: labelJoin }
