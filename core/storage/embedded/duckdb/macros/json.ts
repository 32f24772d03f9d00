// JSON functions under the names of other databases. A path is JSONPath, or members separated by dots.
import type { Macros } from './index.ts'

const path = (p: string) => `CASE WHEN ${p} LIKE '$%' OR ${p} LIKE '/%' THEN ${p} ELSE '$.' || ${p} END`
const text = `json_extract_string(j, ${path('p')})`
const type = (...names: string[]) => `json_type(j) IN (${names.map(name => `'${name}'`).join(', ')})`

/** `$.a.b == 1`: a path, a comparison and a constant. */
const pattern = String.raw`'^\s*(\$[^=<>!]*?)\s*(==|!=|<>|<=|>=|<|>)\s*(.*?)\s*$'`
const part = (group: number) => `regexp_extract(p, ${pattern}, ${group})`
const found = `json_extract_string(j, ${part(1)})`
const constant = `trim(${part(3)}, '"''')`
const isNumber = `TRY_CAST(${part(3)} AS DOUBLE) IS NOT NULL AND json_type(j, ${part(1)}) IN ('UBIGINT', 'BIGINT', 'DOUBLE')`
const compared = (left: string, right: string) =>
  `CASE ${part(2)} WHEN '==' THEN ${left} = ${right} WHEN '!=' THEN ${left} <> ${right} WHEN '<>' THEN ${left} <> ${right}
    WHEN '<' THEN ${left} < ${right} WHEN '<=' THEN ${left} <= ${right} WHEN '>' THEN ${left} > ${right} ELSE ${left} >= ${right} END`

const kind = `CASE json_type(j) WHEN 'VARCHAR' THEN 'string' WHEN 'UBIGINT' THEN 'number' WHEN 'BIGINT' THEN 'number' WHEN 'DOUBLE' THEN 'number'
    ELSE lower(json_type(j)) END`

export const jsonMacros: Macros = {
  '@>@(j, part)': 'json_contains(j, CAST(part AS VARCHAR))',
  '@<@(part, j)': 'json_contains(j, CAST(part AS VARCHAR))',
  '@~(j, k)': `list_contains(CASE json_type(j) WHEN 'ARRAY' THEN json_extract_string(j, '$[*]') ELSE json_keys(j) END, k)`,
  'json_typeof(j)': kind,
  'json_object_keys(j)': 'unnest(json_keys(j))',
  'json_array_elements(j)': "unnest(json_extract(j, '$[*]'))",
  'json_array_elements_text(j)': "unnest(json_extract_string(j, '$[*]'))",
  'json_get_object(j, p)': `json_extract(j, ${path('p')})`,
  'parse_json(x)': 'CAST(x AS JSON)',
  'json_to_string(j)': 'CAST(j AS VARCHAR)',
  'json_get(j, p)': `json_extract(j, ${path('p')})`,
  'json_query(j, p)': `json_extract(j, ${path('p')})`,
  'json_get_int(j, p)': `TRY_CAST(${text} AS BIGINT)`,
  'json_get_float(j, p)': `TRY_CAST(${text} AS DOUBLE)`,
  'json_get_string(j, p)': text,
  'json_get_bool(j, p)': `CASE ${text} WHEN 'true' THEN true WHEN 'false' THEN false END`,
  'json_path_exists(j, p)': `json_exists(j, ${path('p')})`,
  'json_is_null(j)': type('NULL'),
  'json_is_bool(j)': type('BOOLEAN'),
  'json_is_int(j)': type('UBIGINT', 'BIGINT'),
  'json_is_float(j)': type('DOUBLE'),
  'json_is_string(j)': type('VARCHAR'),
  'json_is_array(j)': type('ARRAY'),
  'json_is_object(j)': type('OBJECT'),
  'json_path_match(j, p)': `CASE WHEN NOT regexp_matches(p, ${pattern}) THEN error('json_path_match takes a path, a comparison and a constant, such as $.a.b == 1')
    WHEN ${part(3)} = 'null' THEN (coalesce(json_type(j, ${part(1)}), 'NULL') = 'NULL') = (${part(2)} = '==')
    WHEN ${isNumber} THEN ${compared(`TRY_CAST(${found} AS DOUBLE)`, `TRY_CAST(${part(3)} AS DOUBLE)`)}
    ELSE ${compared(found, constant)} END`
}
