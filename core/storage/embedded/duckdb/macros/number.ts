// Numbers, by the names other databases have.
import type { Macros } from './index.ts'

/** Numbers of 64 bits are more than a division of floating point numbers knows. */
const areIntegers = `typeof(a) LIKE '%INT%' AND typeof(b) LIKE '%INT%'`

export const numberMacros: Macros = {
  'clamp(x, low, high)': 'least(greatest(x, low), high)',
  'clip(x, low, high)': 'least(greatest(x, low), high)',
  'div(a, b)': `CASE WHEN ${areIntegers} THEN CAST(TRY_CAST(a AS HUGEINT) // TRY_CAST(b AS HUGEINT) AS BIGINT) ELSE CAST(trunc(a / b) AS BIGINT) END`,
  'iszero(x)': 'x = 0',
  'nanvl(x, other)': 'CASE WHEN isnan(x) THEN other ELSE x END',
  'signum(x)': 'sign(x)',
  'width_bucket(x, low, high, n)': `CAST(CASE WHEN x IS NULL THEN NULL WHEN low < high
    THEN CASE WHEN x < low THEN 0 WHEN x >= high THEN n + 1 ELSE floor((x - low) * n / (high - low)) + 1 END
    ELSE CASE WHEN x > low THEN 0 WHEN x <= high THEN n + 1 ELSE floor((low - x) * n / (low - high)) + 1 END END AS INTEGER)`
}
