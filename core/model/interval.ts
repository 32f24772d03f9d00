// Intervals of results as text: `1 year 2 months 3 days 04:05:06.7`, as SQL reads them.

interface Interval {
  readonly months: number
  readonly days: number
  readonly micros: bigint
}

const form =
  /^(?:(?<years>-?\d+) years?)? ?(?:(?<months>-?\d+) months?)? ?(?:(?<days>-?\d+) days?)? ?(?:(?<sign>-?)(?<hours>\d+):(?<minutes>\d\d):(?<seconds>\d\d)(?:\.(?<fraction>\d{1,6}))?)?$/

/** The parts of an interval. Throws for a text of another form. */
export function readInterval(text: string): Interval {
  const parts = form.exec(text)?.groups
  if (parts === undefined) throw new Error(`${JSON.stringify(text)} is not an interval`)
  const number = (name: string) => Number(parts[name] ?? 0)
  const seconds = BigInt(parts['hours'] ?? 0) * 3600n + BigInt(60 * number('minutes') + number('seconds'))
  const micros = seconds * 1_000_000n + BigInt((parts['fraction'] ?? '').padEnd(6, '0'))
  return {
    months: 12 * number('years') + number('months'),
    days: number('days'),
    micros: parts['sign'] === '-' ? -micros : micros
  }
}
