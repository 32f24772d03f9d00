// Aggregates under the names of other databases: selectors, approximations, sketches.
import type { Macros } from './index.ts'

/** Hashes that a distinct-count sketch keeps (the smallest): fewer values are counted exactly, more within about 2 %. */
const kept = 4096
/** Offset of bucket keys: positive values have keys above zero, negative ones below, in the order of the values. */
const offset = 10_000_000
const gamma = '(1 + e) / (1 - e)'
const bucket = `CAST(ceil(ln(abs(v)) / ln(${gamma})) AS INTEGER) + ${offset}`
const counts = 'map_values(state.buckets)'
const rank = `p * (list_sum(${counts}) - 1)`
const below = (key: string) =>
  `list_sum(list_transform(list_filter(map_entries(state.buckets), lambda entry: entry.key <= ${key}), lambda entry: entry.value))`
const key = `list_filter(list_sort(map_keys(state.buckets)), lambda k: ${below('k')} > ${rank})[1]`
const width = '((1 + state.error) / (1 - state.error))'

const entries = 'flatten(list(map_entries(state.buckets)))'
const merged = `map_from_entries(list_transform(list_distinct(list_transform(${entries}, lambda each: each.key)), lambda k:
  struct_pack(k := k, v := CAST(list_sum(list_transform(list_filter(${entries}, lambda each: each.key = k), lambda each: each.value)) AS UBIGINT))))`

export const aggregateMacros: Macros = {
  'approx_distinct(x)': 'approx_count_distinct(x)',
  'approx_median(x)': 'approx_quantile(x, 0.5)',
  // The smallest value at which the weights of it and all smaller ones reach the share of the total.
  'approx_percentile_cont_with_weight(x, weight, share)': `list_reduce(
    list(struct_pack(v := x, w := CAST(weight AS DOUBLE)) ORDER BY x) FILTER (WHERE x IS NOT NULL AND weight > 0),
    lambda a, b: CASE WHEN a.w >= share * CAST(sum(weight) FILTER (WHERE x IS NOT NULL AND weight > 0) AS DOUBLE) THEN a
      ELSE struct_pack(v := b.v, w := a.w + b.w) END).v`,
  'polyval(c, x)': `list_reduce(list(CAST(c AS DOUBLE)) FILTER (WHERE c IS NOT NULL), lambda a, b: a * CAST(any_value(x) AS DOUBLE) + b)`,
  'selector_first(v, t)': `struct_pack("value" := arg_min(v, t), "time" := min(t) FILTER (WHERE v IS NOT NULL))`,
  'selector_last(v, t)': `struct_pack("value" := arg_max(v, t), "time" := max(t) FILTER (WHERE v IS NOT NULL))`,
  'selector_min(v, t)': `struct_pack("value" := min(v), "time" := arg_min(t, v))`,
  'selector_max(v, t)': `struct_pack("value" := max(v), "time" := arg_max(t, v))`,
  'hll(x)': `min(DISTINCT hash(x), ${kept}) FILTER (WHERE x IS NOT NULL)`,
  'hll_merge(state)': `list_slice(list_sort(list_distinct(flatten(list(state)))), 1, ${kept})`,
  'hll_count(state)': `CASE WHEN coalesce(len(state), 0) < ${kept} THEN coalesce(len(state), 0)
    ELSE CAST(round(${kept - 1} / (CAST(state[${kept}] AS DOUBLE) / 18446744073709551616)) AS BIGINT) END`,
  'uddsketch_state(size, e, v)': `struct_pack("error" := CAST(any_value(e) AS DOUBLE), buckets :=
    histogram(CASE WHEN v > 0 THEN ${bucket} WHEN v < 0 THEN -(${bucket}) WHEN v = 0 THEN 0 END))`,
  'uddsketch_merge(size, e, state)': `struct_pack("error" := any_value(state.error), buckets := ${merged})`,
  'uddsketch_calc(p, state)': `CASE WHEN ${key} = 0 THEN 0.0::DOUBLE
    ELSE sign(${key}) * 2 * pow(${width}, abs(${key}) - ${offset}) / (${width} + 1) END`
}
