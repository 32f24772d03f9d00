// Colours of series, and of log levels, which are the same everywhere.
import { isDark } from './theme.ts'

/** Colours of styles/base.css; further ones are made. */
const named = 8
/** Degrees of hue between two colours: the golden angle, whose multiples never meet. */
const turn = 137.508

/** The colour of the i-th series. */
function seriesColour(i: number): string {
  if (i < named) return `var(--series-${i + 1})`
  const hue = ((i * turn) % 360).toFixed(1)
  // Each round of the circle has its own lightness.
  const shade = (Math.floor(i / named) % 3) * 0.06
  return isDark.value ? `oklch(${0.82 - shade} 0.12 ${hue})` : `oklch(${0.42 + shade} 0.14 ${hue})`
}

/** A colour for each name, by its alphabetical rank, so that it is the same as long as the names are. */
export function coloursOf(names: Iterable<string>): ReadonlyMap<string, string> {
  return new Map([...new Set(names)].sort().map((name, i) => [name, seriesColour(i)]))
}

/** As a canvas takes it. */
export function canvasColour(colour: string): string {
  const name = /^var\((--[\w-]+)\)$/.exec(colour)?.[1]
  return name === undefined ? colour : getComputedStyle(document.documentElement).getPropertyValue(name).trim()
}
