// Translates names of metrics and labels by the strategy of a request.
import type { Strategy } from './policy.ts'
import { perUnitWord, unitWord } from './unit.ts'

interface MetricName {
  readonly name: string
  readonly unit: string
  readonly isMonotonicSum: boolean
  readonly isGauge: boolean
}

export function translateName(metric: MetricName, strategy: Strategy): string {
  switch (strategy) {
    case 'NoTranslation':
      return metric.name
    case 'NoUTF8EscapingWithSuffixes':
      return withSuffixes(metric)
    case 'UnderscoreEscapingWithoutSuffixes':
      return startingWithNoDigit(tokensOf(metric.name).join('_'))
    case 'UnderscoreEscapingWithSuffixes':
      return startingWithNoDigit(escapedWithSuffixes(metric))
  }
}

/** The label that holds the metric name in queries. */
const reserved = '__name__'

/** Attributes that differ only in characters a label cannot have become one label. */
export function translateLabel(name: string, strategy: Strategy): string {
  if (name === reserved) return `key${name}`
  if (strategy === 'NoTranslation' || strategy === 'NoUTF8EscapingWithSuffixes') return name
  const escaped = name.replace(/[^A-Za-z0-9]/gu, '_')
  if (/^[0-9]/.test(escaped)) return `key_${escaped}`
  return /^_(?!_)/.test(escaped) ? `key${escaped}` : escaped
}

function escapedWithSuffixes({ name, unit, isMonotonicSum, isGauge }: MetricName): string {
  let tokens = tokensOf(name)
  const append = (...words: readonly string[]) => {
    if (!tokens.includes(words.at(-1)!)) tokens.push(...words)
  }
  const { main, per } = unitsOf(unit)
  if (main !== '') append(main)
  if (per !== '') append('per', per)
  const last = isMonotonicSum ? 'total' : isGauge && unit === '1' ? 'ratio' : undefined
  if (last !== undefined) tokens = [...tokens.filter(token => token !== last), last]
  return tokens.join('_')
}

/** Appends suffixes that the name does not end with yet; its characters stay. */
function withSuffixes({ name, unit, isMonotonicSum, isGauge }: MetricName): string {
  const last = isMonotonicSum ? '_total' : isGauge && unit === '1' ? '_ratio' : ''
  const { main, per } = unitsOf(unit)
  let base = last !== '' && name.endsWith(last) ? name.slice(0, -last.length) : name
  const perSuffix = per === '' ? '' : `_per_${per}`
  if (perSuffix !== '' && base.endsWith(perSuffix)) base = base.slice(0, -perSuffix.length)
  if (main !== '' && !base.endsWith(`_${main}`)) base += `_${main}`
  return base + perSuffix + last
}

/** The words of a unit such as `By/s`; annotations in braces are ignored. */
function unitsOf(unit: string): { readonly main: string; readonly per: string } {
  const slash = unit.indexOf('/')
  const part = (text: string) => (/[{}]/.test(text) ? '' : text.trim())
  const main = part(slash < 0 ? unit : unit.slice(0, slash))
  const per = part(slash < 0 ? '' : unit.slice(slash + 1))
  return { main: cleaned(unitWord(main)), per: cleaned(perUnitWord(per)) }
}

function cleaned(word: string): string {
  return tokensOf(word).join('_')
}

function tokensOf(text: string): string[] {
  return text.split(/[^A-Za-z0-9]+/u).filter(token => token !== '')
}

function startingWithNoDigit(name: string): string {
  return /^[0-9]/.test(name) ? `_${name}` : name
}
