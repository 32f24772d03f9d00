// List functions under the names of other databases.
import type { Macros } from './index.ts'

const removed = 'list_filter(l, lambda each: each IS DISTINCT FROM x)'

export const listMacros: Macros = {
  'array_any_value(l)': 'list_any_value(l)',
  'array_element(l, i)': 'list_extract(l, i)',
  'array_except(l, other)': 'list_distinct(list_filter(l, lambda each: NOT list_contains(other, each)))',
  'array_lower(l, dimension)': 'CASE WHEN len(l) > 0 THEN 1 END',
  'array_max(l)': 'list_max(l)',
  'array_min(l)': 'list_min(l)',
  'array_ndims(l)': `CAST((len(typeof(l)) - len(replace(typeof(l), '[]', ''))) // 2 AS INTEGER)`,
  'array_positions(l, x)': 'list_filter(range(1, len(l) + 1), lambda i: l[i] IS NOT DISTINCT FROM x)',
  'array_remove(l, x)': removed,
  'array_remove_all(l, x)': removed,
  'array_replace(l, x, other)':
    'list_transform(l, lambda each: CASE WHEN each IS NOT DISTINCT FROM x THEN other ELSE each END)',
  'array_sum(l)': 'list_sum(l)',
  'array_union(l, other)': 'list_sort(list_distinct(list_concat(l, other)))',
  'array_upper(l, dimension)': 'CASE WHEN len(l) > 0 THEN len(l) END',
  // Works for maps, too. DuckDB resolves branches that are not taken as well, so they go through JSON, which both types convert to.
  'cardinality(l)': `CASE WHEN l IS NULL THEN NULL WHEN typeof(l) LIKE 'MAP(%' THEN CAST(len(json_keys(to_json(l))) AS UBIGINT)
    ELSE json_array_length(to_json(l)) END`,
  'empty(l)': 'len(l) = 0'
}
