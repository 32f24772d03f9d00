// Texts: regular expressions, by the names other databases have.
import type { Macros } from './index.ts'

/** Groups of a pattern, at most nine: parentheses that are neither escaped nor in brackets nor of another kind. */
const groups = String.raw`least(9, len(regexp_replace(regexp_replace(p, '\\.|\[[^\]]*\]|\(\?[^P<]', '', 'g'), '[^(]', '', 'g')))`
const numbered = Array.from({ length: 9 }, (_, i) => `regexp_extract(s, '(?:' || p || ')()()()()()()()()()', ${i + 1})`)

export const textMacros: Macros = {
  'regexp_like(s, p)': 'regexp_matches(s, p)',
  'regexp_like(s, p, flags)': `regexp_matches(s, '(?' || flags || ')' || p)`,
  'regexp_match(s, p)': `CASE WHEN NOT regexp_matches(s, p) THEN NULL WHEN ${groups} = 0 THEN [regexp_extract(s, p)]
    ELSE list_slice([${numbered.join(', ')}], 1, ${groups}) END`,
  'regexp_count(s, p)': 'len(regexp_extract_all(s, p))',
  'regexp_count(s, p, start)': 'len(regexp_extract_all(substr(s, start), p))'
}
