// Durations as clients of Jaeger write them: `1h30m`, `1.5s`, `100ms`, `2d`.

const units: Readonly<Record<string, number>> = {
  ns: 1,
  us: 1e3,
  µs: 1e3,
  μs: 1e3,
  ms: 1e6,
  s: 1e9,
  m: 60e9,
  h: 3600e9,
  d: 86_400e9,
  w: 604_800e9
}

/** Nanoseconds; undefined when the text is none. */
export function parseDuration(text: string): bigint | undefined {
  if (text === '0') return 0n
  if (!/^(?:(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|μs|ms|s|m|h|d|w))+$/.test(text)) return undefined
  let sum = 0
  for (const [, number, unit] of text.matchAll(/([\d.]+)([a-zµμ]+)/g)) sum += Number(number) * units[unit!]!
  return sum < 2 ** 63 ? BigInt(Math.round(sum)) : undefined
}
