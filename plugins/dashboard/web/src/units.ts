// Units of numbers (bytes, seconds, shares, counts), and numbers as text: one value, or the ticks of an axis.

export type Unit = 'none' | 'count' | 'bytes' | 'seconds' | 'ratio' | 'percent' | 'perSecond' | 'bytesPerSecond'

interface Scale {
  readonly factor: number
  readonly name: string
}

const decimal: readonly Scale[] = [
  { factor: 1, name: '' },
  ...['k', 'M', 'G', 'T', 'P'].map((name, i) => ({ factor: 1000 ** (i + 1), name }))
]
const binary: readonly Scale[] = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'].map((name, i) => ({
  factor: 1024 ** i,
  name: ` ${name}`
}))
const seconds: readonly Scale[] = [
  { factor: 1e-9, name: ' ns' },
  { factor: 1e-6, name: ' µs' },
  { factor: 1e-3, name: ' ms' },
  { factor: 1, name: ' s' },
  { factor: 60, name: ' min' },
  { factor: 3600, name: ' h' },
  { factor: 86_400, name: ' d' }
]

interface Form {
  readonly scales: readonly Scale[]
  readonly times?: number
  readonly suffix?: string
  /** From the smallest scale on, instead of 1e-7. */
  readonly hasSmall?: boolean
}

const forms: Readonly<Record<Unit, Form>> = {
  none: { scales: decimal },
  count: { scales: decimal },
  perSecond: { scales: decimal, suffix: '/s' },
  bytes: { scales: binary },
  bytesPerSecond: { scales: binary, suffix: '/s' },
  seconds: { scales: seconds, hasSmall: true },
  ratio: { scales: [{ factor: 1, name: '' }], times: 100, suffix: ' %' },
  percent: { scales: [{ factor: 1, name: '' }], suffix: ' %' }
}

/** One value with at most `digits` digits that count. */
export function formatValue(value: number | null | undefined, unit: Unit = 'none', digits = 4): string {
  if (value === null || value === undefined) return ''
  if (!Number.isFinite(value)) return Number.isNaN(value) ? 'NaN' : value > 0 ? '∞' : '−∞'
  const { times = 1, suffix = '' } = forms[unit]
  const shown = value * times
  const { factor, name } = scaleOf(Math.abs(shown), forms[unit])
  const part = shown / factor
  if (part !== 0 && Math.abs(part) < 1e-3) return `${exponential(part, digits - 1)}${name}${suffix}`
  const text = Math.abs(part) >= 10 ** digits ? String(Math.round(part)) : String(Number(part.toPrecision(digits)))
  return `${text}${name}${suffix}`
}

/** The texts of the ticks of an axis: one scale for all, and as many digits as tell them apart. */
export function axisTexts(ticks: readonly (number | null)[], unit: Unit): string[] {
  const form = forms[unit]
  const { times = 1, suffix = '' } = form
  const values = ticks.map(tick => (tick === null ? null : tick * times))
  const known = values.filter(value => value !== null)
  const largest = Math.max(0, ...known.map(Math.abs))
  const { factor, name } = scaleOf(largest, form)
  const parts = values.map(value => (value === null ? null : value / factor))
  const top = largest / factor
  if (top !== 0 && top < 1e-3) {
    return parts.map(part =>
      part === null ? '' : part === 0 ? formatValue(0, unit) : `${exponential(part, 4)}${name}${suffix}`
    )
  }
  const digits = digitsFor(parts.filter(part => part !== null))
  return parts.map(part => {
    if (part === null) return ''
    return isZero(part, top) ? formatValue(0, unit) : `${part.toFixed(digits)}${name}${suffix}`
  })
}

/** Steps an axis may have: round in its unit. */
export function axisSteps(unit: Unit): number[] {
  const round: number[] = []
  for (let power = -15; power <= 18; power++) round.push(...[1, 2, 2.5, 5].map(each => Number(`${each}e${power}`)))
  if (unit === 'bytes' || unit === 'bytesPerSecond') {
    return [...round.filter(each => each < 1), ...Array.from({ length: 60 }, (_, i) => 2 ** i)]
  }
  if (unit !== 'seconds') return round
  return [
    ...round.filter(each => each <= 20),
    ...[30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10_800, 21_600, 43_200],
    ...round.filter(each => each >= 1).map(each => each * 86_400)
  ]
}

function scaleOf(size: number, { scales, hasSmall }: Form): Scale {
  const found = scales.findLast(({ factor }) => size >= factor * (1 - 1e-12))
  if (found !== undefined) return found
  if (size === 0 && hasSmall) return scales.find(({ factor }) => factor === 1)!
  return scales[0]!
}

function exponential(value: number, digits: number): string {
  return value
    .toExponential(Math.max(0, digits))
    .replace(/\.?0+e/, 'e')
    .replace('e+', 'e')
}

/** Digits after the decimal point, enough for every one of them. */
function digitsFor(values: readonly number[]): number {
  for (let digits = 0; digits < 9; digits++) {
    const power = 10 ** digits
    if (
      values.every(value => Math.abs(value * power - Math.round(value * power)) < 1e-6 * Math.max(1, Math.abs(value)))
    )
      return digits
  }
  return 9
}

function isZero(value: number, top: number): boolean {
  return Math.abs(value) <= top * 1e-9
}

/** The unit of a metric, by its metadata, else by its name. */
export function unitOfMetric(name: string, told?: string): Unit {
  const byMetadata = toldUnits[told ?? '']
  if (byMetadata !== undefined) return byMetadata
  const bare = name.replace(/_(total|bucket|sum|created)$/, '')
  const word = /_(bytes|seconds|ratio|percent|percentage|count)$/.exec(bare)?.[1]
  return word === undefined ? 'none' : nameUnits[word]!
}

const nameUnits: Readonly<Record<string, Unit>> = {
  bytes: 'bytes',
  seconds: 'seconds',
  ratio: 'ratio',
  percent: 'percent',
  percentage: 'percent',
  count: 'count'
}
const toldUnits: Readonly<Record<string, Unit>> = {
  bytes: 'bytes',
  By: 'bytes',
  seconds: 'seconds',
  s: 'seconds',
  ratio: 'ratio',
  percent: 'percent',
  '%': 'percent'
}

/** The unit of a PromQL expression, as far as its text tells; `told` returns the unit of a metric's metadata. */
export function unitOfExpression(text: string, told: (metric: string) => string | undefined = () => undefined): Unit {
  // Selectors, grouping and texts name no metric.
  const bare = text
    .replace(/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'/g, '')
    .replace(/\{[^}]*\}/g, '')
    .replace(/\[[^\]]*\]/g, '')
    .replace(/\b(by|without|on|ignoring|group_left|group_right)\s*\([^)]*\)/gi, '')
  if (/^\s*count(_values)?\s*\(/.test(bare)) return 'count'
  const names =
    bare.match(/[a-zA-Z_:][\w:]*(?!\s*\()(?![\w:])/g)?.filter(name => !operators.has(name.toLowerCase())) ?? []
  const units = [...new Set(names.map(name => unitOfMetric(name, told(name))))]
  const isAverage = /_sum\b/.test(bare) && /_count\b/.test(bare) && bare.includes('/')
  if (isAverage) return unitOfMetric(names.find(name => name.endsWith('_sum'))!)
  if (units.length !== 1 || /[*/^%]/.test(bare)) return 'none'
  const [unit] = units as [Unit]
  if (/\bhistogram_quantile\s*\(/.test(bare)) return unit
  if (!/\b(rate|irate|deriv)\s*\(/.test(bare)) return unit
  return unit === 'bytes' ? 'bytesPerSecond' : unit === 'seconds' ? 'none' : 'perSecond'
}

const operators = new Set([
  'and',
  'or',
  'unless',
  'bool',
  'offset',
  'by',
  'without',
  'on',
  'ignoring',
  'group_left',
  'group_right',
  'inf',
  'nan'
])

/** The unit that a name of a series or of a column tells. */
export function unitOfName(name: string): Unit {
  return unitOfMetric(/^[\w:]+/.exec(name)?.[0] ?? name)
}
