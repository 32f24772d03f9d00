// The lines of a chart.
import { coloursOf } from '../../colours.ts'
import { type Level, levelColours, levelOf } from '../../levels.ts'

export interface Line {
  readonly name: string
  /** Seconds since 1970, ascending. */
  readonly times: readonly number[]
  readonly values: readonly (number | null)[]
  /** A CSS colour; default: one chosen by the chart. */
  readonly colour?: string
}

interface Figures {
  readonly last: number | null
  readonly min: number | null
  readonly max: number | null
  readonly avg: number | null
  readonly sum: number
}

export interface DrawnLine extends Line {
  readonly colour: string
  readonly figures: Figures
}

/** Lines drawn at most: further ones would take long, and hide each other. */
const maxLines = 500

interface Choice {
  readonly lines: readonly DrawnLine[]
  /** How many were chosen of how many, and how; undefined when all are drawn. */
  readonly note: string | undefined
}

/** Each line with figures and colour. Of too many: the largest, and of the others every nth. `isSorted`: the largest first. */
export function chooseLines(lines: readonly Line[], isSorted: boolean): Choice {
  const colours = coloursOf(lines.map(({ name }) => name))
  const levels = levelsOf(lines)
  const all = lines.map(line => {
    const level = levels.get(line.name)
    const own = line.colour ?? (level && `var(--${levelColours[level]})`) ?? colours.get(line.name)!
    return { ...line, colour: own, figures: figuresOf(line) }
  })
  if (isSorted) all.sort((a, b) => sizeOf(b) - sizeOf(a) || (a.name < b.name ? -1 : 1))
  if (all.length <= maxLines) return { lines: all, note: undefined }
  const largest = maxLines / 2
  const every = (all.length - largest) / (maxLines - largest)
  const others = Array.from({ length: maxLines - largest }, (_, i) => all[largest + Math.floor(i * every)]!)
  const counts = [maxLines, lines.length, largest].map(count => count.toLocaleString('en'))
  return {
    lines: [...all.slice(0, largest), ...others],
    note: `${counts[0]} of ${counts[1]} series are drawn: the ${counts[2]} largest, and a sample of the others.`
  }
}

/** Lines that are called as a level is, each level once: an error is red everywhere. */
function levelsOf(lines: readonly Line[]): ReadonlyMap<string, Level> {
  const found = lines.flatMap(({ name }) => {
    const word = /\b(?:level|severity\w*)="([^"]+)"/i.exec(name)?.[1] ?? name.split(' ')[0]!
    const level = word.length < 3 ? 'other' : levelOf(word)
    return level === 'other' ? [] : [[name, level] as const]
  })
  const isTold = new Set(found.map(([, level]) => level)).size === found.length
  return new Map(isTold ? found : [])
}

function sizeOf({ figures: { avg } }: DrawnLine): number {
  return avg ?? Number.NEGATIVE_INFINITY
}

function figuresOf({ values }: Line): Figures {
  let [last, min, max, sum, count]: [number | null, number, number, number, number] = [null, Infinity, -Infinity, 0, 0]
  for (const value of values) {
    if (value === null || Number.isNaN(value)) continue
    last = value
    if (value < min) min = value
    if (value > max) max = value
    sum += value
    count++
  }
  if (count === 0) return { last: null, min: null, max: null, avg: null, sum: 0 }
  return { last, min, max, avg: sum / count, sum }
}

/** The value at a time, or the nearest one to it. */
export function valueAt({ times, values }: Line, time: number): number | null {
  let [low, high] = [0, times.length - 1]
  if (high < 0) return null
  while (low < high) {
    const middle = (low + high) >> 1
    if (times[middle]! < time) low = middle + 1
    else high = middle
  }
  const before = Math.max(0, low - 1)
  const at = Math.abs(times[before]! - time) < Math.abs(times[low]! - time) ? before : low
  // Where samples are missing, the nearest one is too far away to count.
  const usual = times.length < 2 ? Infinity : (times.at(-1)! - times[0]!) / (times.length - 1)
  return Math.abs(times[at]! - time) > usual * 1.5 ? null : (values[at] ?? null)
}
