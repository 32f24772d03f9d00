// Signatures of functions and aggregations.
import type { ValueType } from './ast.ts'

export interface Signature {
  readonly args: readonly ValueType[]
  /** How many of the last arguments are optional; -1: the last argument may be repeated or left out. */
  readonly optional: number
  readonly returns: ValueType
  readonly experimental?: true
}

type Row = readonly [names: string, args: string, returns: ValueType, optional?: number, experimental?: true]

const letters: Readonly<Record<string, ValueType>> = { v: 'vector', m: 'matrix', s: 'scalar', t: 'string' }

/** Arguments by letter: v(ector), m(atrix), s(calar), t(ext). */
const rows: readonly Row[] = [
  [
    'abs acos acosh asin asinh atan atanh ceil cos cosh deg exp floor ln log10 log2 rad sgn sin sinh sqrt tan tanh',
    'v',
    'vector'
  ],
  ['absent histogram_avg histogram_count histogram_stddev histogram_stdvar histogram_sum', 'v', 'vector'],
  ['sort sort_desc timestamp', 'v', 'vector'],
  ['start_timestamp', 'v', 'vector', 0, true],
  ['day_of_month day_of_week day_of_year days_in_month hour minute month year', 'v', 'vector', 1],
  ['clamp', 'vss', 'vector'],
  ['clamp_max clamp_min', 'vs', 'vector'],
  ['round', 'vs', 'vector', 1],
  ['absent_over_time avg_over_time changes count_over_time delta deriv idelta increase irate', 'm', 'vector'],
  ['last_over_time max_over_time min_over_time present_over_time rate resets', 'm', 'vector'],
  ['stddev_over_time stdvar_over_time sum_over_time', 'm', 'vector'],
  [
    'first_over_time mad_over_time ts_of_first_over_time ts_of_last_over_time ts_of_max_over_time ts_of_min_over_time',
    'm',
    'vector',
    0,
    true
  ],
  ['quantile_over_time', 'sm', 'vector'],
  ['predict_linear', 'ms', 'vector'],
  ['double_exponential_smoothing', 'mss', 'vector', 0, true],
  ['histogram_quantile', 'sv', 'vector'],
  ['histogram_quantiles', 'vts', 'vector', -1, true],
  ['histogram_fraction', 'ssv', 'vector'],
  ['label_replace', 'vtttt', 'vector'],
  ['label_join', 'vttt', 'vector', -1],
  ['info', 'vv', 'vector', 1, true],
  ['sort_by_label sort_by_label_desc', 'vt', 'vector', -1, true],
  ['scalar', 'v', 'scalar'],
  ['vector', 's', 'vector'],
  ['pi time', '', 'scalar'],
  ['max_of min_of', 'ss', 'scalar', 0, true],
  ['start end step range', '', 'scalar', 0, true]
]

/** By name. */
export const functionSignatures: ReadonlyMap<string, Signature> = new Map(
  rows.flatMap(([names, args, returns, optional = 0, experimental]) =>
    names.split(' ').map((name): [string, Signature] => {
      const types = [...args].map(letter => letters[letter]!)
      return [name, { args: types, optional, returns, ...(experimental && { experimental }) }]
    })
  )
)

/** Aggregations that take a parameter, with its type. */
export const aggregationParameters: ReadonlyMap<string, ValueType> = new Map([
  ['topk', 'scalar'],
  ['bottomk', 'scalar'],
  ['limitk', 'scalar'],
  ['limit_ratio', 'scalar'],
  ['quantile', 'scalar'],
  ['count_values', 'string']
])

export const experimentalAggregations: ReadonlySet<string> = new Set(['limitk', 'limit_ratio'])

/** All of them, by name in lower case. */
export const aggregations: ReadonlySet<string> = new Set([
  ...['sum', 'avg', 'count', 'min', 'max', 'group', 'stddev', 'stdvar'],
  ...aggregationParameters.keys()
])
