// Colours of series: each its own, those of levels the same everywhere.
import { isDark } from './theme.ts'

/** Colours of styles/base.css; further ones are made. */
const named = 8
/** Degrees of hue between colours that are made: the golden angle never comes back to one it had. */
const turn = 137.508

/** The colour of the i-th series. */
export function seriesColour(i: number): string {
  if (i < named) return `var(--series-${i + 1})`
  const hue = ((i * turn) % 360).toFixed(1)
  // Rounds differ in lightness, too.
  const shade = (Math.floor(i / named) % 3) * 0.06
  return isDark.value ? `oklch(${0.82 - shade} 0.12 ${hue})` : `oklch(${0.42 + shade} 0.14 ${hue})`
}

/** A colour for each name, by its place in the alphabet, so that it stays while the others do. */
export function coloursOf(names: Iterable<string>): ReadonlyMap<string, string> {
  return new Map([...new Set(names)].sort().map((name, i) => [name, seriesColour(i)]))
}

/** As a canvas takes it. */
export function canvasColour(colour: string): string {
  const name = /^var\((--[\w-]+)\)$/.exec(colour)?.[1]
  return name === undefined ? colour : getComputedStyle(document.documentElement).getPropertyValue(name).trim()
}
