// Durations in rule files: `1h30m`, `5m`, `0`.
import { maxDate } from '../../../core/index.ts'

const pattern = /^(?:(\d+)y)?(?:(\d+)w)?(?:(\d+)d)?(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s)?(?:(\d+)ms)?$/
const milliseconds = [365 * 86_400_000, 7 * 86_400_000, 86_400_000, 3_600_000, 60_000, 1_000, 1]

/** Milliseconds; undefined if invalid. */
export function parseDuration(text: string): number | undefined {
  if (text === '0') return 0
  const found = text === '' ? null : pattern.exec(text)
  if (found === null) return undefined
  const sum = milliseconds.reduce((sum, unit, i) => sum + Number(found[i + 1] ?? 0) * unit, 0)
  return sum <= maxDate ? sum : undefined
}
