// Annotations: vertical lines across a chart.
import type uPlot from 'uplot'
import { colour } from '../../theme.ts'

/** Something that happened, such as a deploy. */
export interface Mark {
  /** Seconds since 1970. */
  readonly time: number
  readonly text: string
}

export function drawMarks(chart: uPlot, marks: readonly Mark[]): void {
  const at = ({ time }: Mark) => chart.valToPos(time, 'x', true)
  drawLines(chart.ctx, marks.map(at), chart.bbox, { colour: colour('accent'), width: devicePixelRatio })
}

interface Box {
  readonly left: number
  readonly top: number
  readonly width: number
  readonly height: number
}

/** Broken lines from top to bottom of the box; those outside of it are not drawn. */
export function drawLines(
  context: CanvasRenderingContext2D,
  positions: readonly number[],
  { left, top, width, height }: Box,
  line: { readonly colour: string; readonly width: number }
): void {
  context.save()
  context.strokeStyle = line.colour
  context.lineWidth = line.width
  context.setLineDash([4 * line.width, 3 * line.width])
  for (const position of positions) {
    if (position < left || position > left + width) continue
    // Within pixels, not between two.
    const x = Math.floor(position) + (line.width % 2) / 2
    context.beginPath()
    context.moveTo(x, top)
    context.lineTo(x, top + height)
    context.stroke()
  }
  context.restore()
}
