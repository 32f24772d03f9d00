// Single points drawn on a chart, such as exemplars.
/** A single observation that leads somewhere, such as an exemplar to its trace. */
export interface Dot {
  /** Seconds since 1970. */
  readonly time: number
  /** In the unit of the lines; undefined: the dot is drawn on the time axis. */
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
