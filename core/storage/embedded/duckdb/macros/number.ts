// Number functions under the names of other databases.
import type { Macros } from './index.ts'

/** 64-bit integers are divided as integers, because floating point would lose digits. */
const areIntegers = `typeof(a) LIKE '%INT%' AND typeof(b) LIKE '%INT%'`

export const numberMacros: Macros = {
  'clamp(x, low, high)': 'least(greatest(x, low), high)',
  'clip(x, low, high)': 'least(greatest(x, low), high)',
  'div(a, b)': `CASE WHEN ${areIntegers} THEN CAST(TRY_CAST(a AS HUGEINT) // TRY_CAST(b AS HUGEINT) AS BIGINT) ELSE CAST(trunc(a / b) AS BIGINT) END`,
  'e()': 'exp(1::DOUBLE)',
  'iszero(x)': 'x = 0',
  'nanvl(x, other)': 'CASE WHEN isnan(x) THEN other ELSE x END',
  // A sign may be on either side; angle brackets mean negative.
  'to_number(s, form)': `CAST(regexp_replace(s, '[^0-9.]', '', 'g') AS DOUBLE) * CASE WHEN regexp_matches(s, '[-<]') THEN -1 ELSE 1 END`,
  'signum(x)': 'sign(x)',
  'width_bucket(x, low, high, n)': `CAST(CASE WHEN x IS NULL THEN NULL WHEN low < high
    THEN CASE WHEN x < low THEN 0 WHEN x >= high THEN n + 1 ELSE floor((x - low) * n / (high - low)) + 1 END
    ELSE CASE WHEN x > low THEN 0 WHEN x <= high THEN n + 1 ELSE floor((low - x) * n / (low - high)) + 1 END END AS INTEGER)`
}
