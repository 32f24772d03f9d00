// Text functions under the names of other databases.
import type { Macros } from './index.ts'

/** Number of groups of a pattern, at most nine: parentheses that are not escaped, not in brackets and capturing. */
const groups = String.raw`least(9, len(regexp_replace(regexp_replace(p, '\\.|\[[^\]]*\]|\(\?[^P<]', '', 'g'), '[^(]', '', 'g')))`
const numbered = Array.from({ length: 9 }, (_, i) => `regexp_extract(s, '(?:' || p || ')()()()()()()()()()', ${i + 1})`)

const literal = String.raw`CASE WHEN contains(CAST(x AS VARCHAR), '\')
    THEN 'E''' || replace(replace(CAST(x AS VARCHAR), '\', '\\'), '''', '''''') || ''''
    ELSE '''' || replace(CAST(x AS VARCHAR), '''', '''''') || '''' END`
/** Words that must be quoted as names. */
const reserved =
  `all and any array as asc both case cast check collate column constraint create cross current_date current_time
  current_timestamp current_user default desc distinct do else end except false fetch for foreign from full grant group having ilike in inner
  intersect into is join lateral leading left like limit natural not null offset on only or order outer primary references returning right
  select session_user similar some symmetric table then to trailing true union unique user using values when where window with`
    .split(/\s+/)
    .map(word => `'${word}'`)
const part = 'string_split(s, d)'
/** Runs of letters and digits, and the separators between them. */
const pieces = String.raw`regexp_extract_all(lower(s), '[\p{L}\p{N}]+|[^\p{L}\p{N}]+')`
const flagged = `'(?' || flags || ')' || p`

/** The number of an IPv4 address. */
function ipv4(address: string): string {
  return `list_reduce(list_transform(string_split(${address}, '.'), lambda p: CAST(CAST(p AS UTINYINT) AS BIGINT)), lambda a, b: a * 256 + b)`
}
const size = `CAST(pow(2, 32 - CAST(split_part(cidr, '/', 2) AS INTEGER)) AS BIGINT)`

export const textMacros: Macros = {
  '~@(s, p)': 'regexp_matches(s, p)',
  '!~@(s, p)': 'NOT regexp_matches(s, p)',
  '~*(s, p)': `regexp_matches(s, p, 'i')`,
  '!~*(s, p)': `NOT regexp_matches(s, p, 'i')`,
  'btrim(s)': 'trim(s)',
  'btrim(s, characters)': 'trim(s, characters)',
  'decode(b)': 'system.main.decode(b)',
  'decode(s, form)': `CASE lower(form) WHEN 'base64' THEN from_base64(s) WHEN 'hex' THEN unhex(s)
    ELSE error('decode knows hex and base64, not ' || form) END`,
  'encode(s)': 'system.main.encode(s)',
  'encode(b, form)': `CASE lower(form) WHEN 'base64' THEN base64(CAST(b AS BLOB)) WHEN 'hex' THEN lower(hex(CAST(b AS BLOB)))
    ELSE error('encode knows hex and base64, not ' || form) END`,
  'digest(x, method)': `CASE lower(method) WHEN 'sha256' THEN unhex(sha256(x)) WHEN 'sha1' THEN unhex(sha1(x)) WHEN 'md5' THEN unhex(md5(x))
    ELSE error('digest knows md5, sha1 and sha256, not ' || method) END`,
  'find_in_set(s, list)': `coalesce(list_position(string_split(list, ','), s), 0)`,
  'initcap(s)': `array_to_string(list_transform(${pieces}, lambda w: upper(left(w, 1)) || substr(w, 2)), '')`,
  'lpad(s, n)': "system.main.lpad(s, n, ' ')",
  'lpad(s, n, characters)': 'system.main.lpad(s, n, characters)',
  'octet_length(x)': `CASE WHEN typeof(x) IN ('BLOB', 'BIT') THEN system.main.octet_length(CAST(x AS BLOB)) ELSE strlen(CAST(x AS VARCHAR)) END`,
  'overlay(s, other, start)':
    'left(s, CAST(greatest(start, 1) - 1 AS BIGINT)) || other || substr(s, start + len(other))',
  'overlay(s, other, start, n)': 'left(s, CAST(greatest(start, 1) - 1 AS BIGINT)) || other || substr(s, start + n)',
  'quote_ident(s)': `CASE WHEN regexp_full_match(s, '[a-z_][a-z0-9_$]*') AND s NOT IN (${reserved.join(', ')}) THEN s
    ELSE '"' || replace(s, '"', '""') || '"' END`,
  'quote_literal(x)': literal,
  'quote_nullable(x)': `coalesce(${literal}, 'NULL')`,
  'regexp_count(s, p, start, flags)': `len(regexp_extract_all(substr(s, start), ${flagged}))`,
  'regexp_instr(s, p)': `CASE WHEN regexp_matches(s, p) THEN len(regexp_extract(s, '^((?s:.*?))(?:' || p || ')', 1)) + 1 ELSE 0 END`,
  'regexp_substr(s, p)': 'CASE WHEN regexp_matches(s, p) THEN regexp_extract(s, p) END',
  'rpad(s, n)': "system.main.rpad(s, n, ' ')",
  'rpad(s, n, characters)': 'system.main.rpad(s, n, characters)',
  'substr_index(s, d, n)': `array_to_string(CASE WHEN n < 0 THEN ${part}[n:] ELSE ${part}[1:n] END, d)`,
  'substring_index(s, d, n)': `array_to_string(CASE WHEN n < 0 THEN ${part}[n:] ELSE ${part}[1:n] END, d)`,
  'to_hex(x)': 'lower(system.main.to_hex(x))',
  'ipv4_string_to_num(s)': `CASE WHEN NOT regexp_full_match(s, '\\d{1,3}(\\.\\d{1,3}){3}') THEN error(s || ' is not an IPv4 address')
    ELSE CAST(${ipv4('s')} AS UINTEGER) END`,
  'ipv4_num_to_string(n)': `concat_ws('.', n // 16777216, n // 65536 % 256, n // 256 % 256, n % 256)`,
  'ipv4_in_range(s, cidr)': `${ipv4('s')} // ${size} = ${ipv4(`split_part(cidr, '/', 1)`)} // ${size}`,
  'regexp_like(s, p)': 'regexp_matches(s, p)',
  'regexp_like(s, p, flags)': `regexp_matches(s, '(?' || flags || ')' || p)`,
  'regexp_match(s, p)': `CASE WHEN NOT regexp_matches(s, p) THEN NULL WHEN ${groups} = 0 THEN [regexp_extract(s, p)]
    ELSE list_slice([${numbered.join(', ')}], 1, ${groups}) END`,
  'regexp_count(s, p)': 'len(regexp_extract_all(s, p))',
  'regexp_count(s, p, start)': 'len(regexp_extract_all(substr(s, start), p))'
}
