// The time at the cursor and every line's value there, the largest first.
import { formatTime } from '../../time.ts'
import { formatValue, type Unit } from '../../units.ts'
import { type DrawnLine, valueAt } from './line.ts'
import type { Mark } from './mark.ts'
import type { Cursor } from './plot.ts'

/** Lines named; more would hide the chart. */
const maxLines = 15
/** Pixels. */
const gap = 14

interface TooltipProps {
  readonly cursor: Cursor
  readonly lines: readonly DrawnLine[]
  readonly marks: readonly Mark[]
  readonly unit: Unit
  /** Of the chart, in pixels. */
  readonly width: number
  /** Seconds that belong together on the time axis. */
  readonly near: number
}

export function Tooltip({ cursor, lines, marks, unit, width, near }: TooltipProps) {
  const { time, left, top } = cursor
  const found = lines
    .map(line => ({ line, value: valueAt(line, time) }))
    .filter(({ value }) => value !== null && !Number.isNaN(value))
    .sort((a, b) => b.value! - a.value!)
  const close = marks.filter(mark => Math.abs(mark.time - time) < near)
  if (found.length === 0 && close.length === 0) return null
  const isLeft = left > width / 2
  return (
    <div
      class="tooltip"
      style={{
        top: `${top + gap}px`,
        ...(isLeft ? { right: `${width - left + gap}px` } : { left: `${left + gap}px` })
      }}
    >
      <time>{formatTime(Math.round(time) * 1000)}</time>
      {close.map(({ text }, i) => (
        <div key={i} class="mark">
          {text}
        </div>
      ))}
      {found.slice(0, maxLines).map(({ line, value }) => (
        <div key={line.name} class="row">
          <span class="swatch" style={{ background: line.colour }} />
          <span class="name">{line.name}</span>
          <strong>{formatValue(value, unit)}</strong>
        </div>
      ))}
      {found.length > maxLines && <div class="quiet">and {found.length - maxLines} more below</div>}
    </div>
  )
}
