// What stands on a chart beside its lines.
/** A single observation that leads somewhere, such as an exemplar to its trace. */
export interface Dot {
  /** Seconds since 1970. */
  readonly time: number
  /** Of the same unit as the lines; undefined: it stands on the time axis. */
  readonly value: number | undefined
  readonly text: string
  readonly href: string
}

/** The range of the values, with those of the dots. */
export function withDots(min: number | null, max: number | null, dots: readonly Dot[]): [number | null, number | null] {
  if (min === null || max === null) return [min, max]
  const values = dots.flatMap(({ value }) => value ?? [])
  return [Math.min(min, ...values), Math.max(max, ...values)]
}
