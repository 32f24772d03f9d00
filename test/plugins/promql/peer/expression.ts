// Random expressions over the series of data.ts; the same for the same seed.
import { randomFrom } from './data.ts'

const selectors = [
  'hits_total',
  'hits_total{code="200"}',
  'hits_total{code!="200",instance=~"a|b"}',
  'temp',
  'level',
  'level{zone!~"z1"}',
  'small',
  'odd',
  'size_bucket',
  'crooked_bucket',
  'lat',
  'lat{instance="a"}',
  'lat{instance=~"b|c"}',
  'own',
  'steady',
  'other_bounds',
  'gauged',
  'mixed',
  '{__name__=~"temp|level"}',
  'nothing{x="y"}'
]
/** No two values are equal: which of equal ones are taken depends on the order they come in. */
const distinct = ['temp', 'avg_over_time(temp[5m])', 'temp * 2', 'deriv(level[5m])']
const natives = ['lat', 'lat{instance="a"}', 'lat{instance="b"}', 'lat{instance="c"}', 'own', 'steady', 'gauged']
const math =
  'abs ceil exp floor ln log2 log10 sqrt sgn sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh deg rad round timestamp'.split(
    ' '
  )
const parts = 'histogram_avg histogram_count histogram_sum histogram_stddev histogram_stdvar'.split(' ')
const overRange =
  'rate increase delta irate idelta changes resets deriv avg_over_time sum_over_time min_over_time max_over_time count_over_time stddev_over_time stdvar_over_time last_over_time present_over_time absent_over_time mad_over_time ts_of_min_over_time ts_of_max_over_time ts_of_last_over_time'.split(
    ' '
  )
const reductions = 'sum avg min max count group stddev stdvar'.split(' ')
const operators = '+ - * / % ^ atan2 == != < > <= >='.split(' ')
const sets = ['and', 'or', 'unless']
const labels = ['instance', 'job', 'code', 'zone', 'le', 'missing']
const numbers = ['0', '1', '2.5', '-3', '0.5', '1e10', 'Inf', '-Inf', 'NaN', '0x1f', '90s']
const ranges = ['1m', '2m', '5m', '7m30s', '20s', '20m']

export function expressionMaker(seed: number): () => string {
  const random = randomFrom(seed)
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!
  const chance = (share: number) => random() < share

  const shift = () => {
    if (chance(0.8)) return ''
    return pick([' offset 1m', ' offset -2m', ' @ 1700000500', ' @ end()', ' @ start() offset 30s'])
  }
  const names = () =>
    `(${[...new Set([pick(labels), pick(labels)])].slice(0, 1 + Math.floor(random() * 2)).join(', ')})`
  const range = (depth: number): string => {
    if (depth > 0 && chance(0.25))
      return `(${vector(depth - 1)})[${pick(ranges)}:${pick(['', '15s', '40s', '1m'])}]${shift()}`
    return `${pick(selectors)}[${pick(ranges)}]${shift()}`
  }
  const scalar = (depth: number): string => {
    if (depth > 0 && chance(0.15)) return `scalar(${vector(depth - 1)})`
    if (chance(0.1)) return pick(['time()', 'pi()', '(1 + 2 * 3)', '-(2 ^ 2)'])
    return pick(numbers)
  }
  const grouping = () => (chance(0.4) ? '' : ` ${pick(['by', 'without'])} ${names()}`)
  const matching = () => {
    if (chance(0.4)) return ''
    const clause = ` ${pick(['on', 'ignoring'])} ${names()}`
    if (chance(0.5)) return clause
    return `${clause} ${pick(['group_left', 'group_right'])}${chance(0.5) ? '' : ` (${pick(labels)})`}`
  }
  const vector = (depth: number): string => {
    const kind = depth <= 0 ? 0 : Math.floor(random() * 16)
    const inner = () => vector(depth - 1)
    switch (kind) {
      case 0:
        return `${pick(selectors)}${shift()}`
      case 1:
        return `${pick(math)}(${inner()})`
      case 2:
        return `${pick(parts)}(${chance(0.6) ? pick(natives) : inner()})`
      case 3:
      case 4:
        return `${pick(overRange)}(${range(depth)})`
      case 5:
        return pick([
          () => `quantile_over_time(${scalar(0)}, ${range(depth)})`,
          () => `predict_linear(${range(depth)}, ${scalar(0)})`,
          () => `double_exponential_smoothing(${range(depth)}, 0.3, 0.6)`
        ])()
      case 6:
      case 7:
        return `${pick(reductions)}${grouping()} (${inner()})`
      case 8:
        return pick([
          () => `topk${grouping()} (${pick(['1', '2', '0', '5'])}, ${pick(distinct)})`,
          () => `bottomk${grouping()} (2, ${pick(distinct)})`,
          () => `quantile${grouping()} (${pick(['0.5', '0', '1', '0.9', '-1', '2', 'NaN'])}, ${inner()})`,
          () =>
            `count_values${grouping()} ("${pick(labels)}", ${pick(['small', 'round(temp)', 'changes(hits_total[2m])', 'own'])})`,
          () => `count(limitk${grouping()} (2, ${inner()}))`
        ])()
      case 9: {
        const op = pick(operators)
        const bool = '=!<>'.includes(op[0]!) && chance(0.4) ? ' bool' : ''
        return `(${inner()}) ${op}${bool}${matching()} (${inner()})`
      }
      case 10: {
        const op = pick(operators)
        const bool = '=!<>'.includes(op[0]!) && chance(0.4) ? ' bool' : ''
        return chance(0.5)
          ? `(${inner()}) ${op}${bool} ${scalar(depth - 1)}`
          : `${scalar(depth - 1)} ${op}${bool} (${inner()})`
      }
      case 11:
        return `(${inner()}) ${pick(sets)}${chance(0.5) ? '' : ` ${pick(['on', 'ignoring'])} ${names()}`} (${inner()})`
      case 12:
        return pick([
          () =>
            `histogram_quantile(${pick(['0.5', '0.9', '0', '1', '-1', '2', 'NaN', '0.25'])}, ${chance(0.7) ? pick([...natives, 'size_bucket', 'crooked_bucket', 'rate(size_bucket[5m])', 'rate(lat[5m])']) : inner()})`,
          () =>
            // In the lowest bucket version 3.5 answers NaN.
            `histogram_fraction(${pick(['0.5', '0.7', '1'])}, ${pick(['2', '2.7', 'Inf'])}, ${pick(['size_bucket', 'crooked_bucket'])})`,
          () =>
            `histogram_fraction(${pick(['-Inf', '0', '0.3', '-1'])}, ${pick(['1', '2.7', 'Inf', '0.0005'])}, ${pick([...natives, 'rate(lat[5m])'])})`
        ])()
      case 13:
        return pick([
          () => `label_replace(${inner()}, "${pick(labels)}", "$1-x", "${pick(labels)}", "(.*)")`,
          () => `label_join(${inner()}, "${pick(labels)}", "-", "instance", "job")`,
          () => `clamp(${inner()}, -1, ${scalar(0)})`,
          () => `clamp_min(${inner()}, ${scalar(0)})`,
          () => `absent(${inner()})`,
          () => `vector(${scalar(depth - 1)})`,
          () => `sort_desc(${inner()})`,
          () => `sort(${inner()})`,
          () => `sort_by_label(${inner()}, "${pick(labels)}", "${pick(labels)}")`
        ])()
      case 14:
        return `-(${inner()})`
      default:
        return `${pick(['hour', 'minute', 'day_of_week', 'day_of_month', 'day_of_year', 'days_in_month', 'month', 'year'])}(${chance(0.3) ? '' : pick(['hits_total', 'small', 'timestamp(temp)'])})`
    }
  }
  return () => vector(1 + Math.floor(random() * 3))
}
