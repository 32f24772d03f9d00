// What happened, as lines across a chart.
import type uPlot from 'uplot'
import { colour } from '../../theme.ts'

/** Something that happened, such as a deploy. */
export interface Mark {
  /** Seconds since 1970. */
  readonly time: number
  readonly text: string
}

export function drawMarks(chart: uPlot, marks: readonly Mark[]): void {
  const { ctx, bbox } = chart
  ctx.save()
  ctx.strokeStyle = colour('accent')
  ctx.lineWidth = devicePixelRatio
  ctx.setLineDash([4 * devicePixelRatio, 3 * devicePixelRatio])
  for (const { time } of marks) {
    const x = Math.round(chart.valToPos(time, 'x', true))
    if (x < bbox.left || x > bbox.left + bbox.width) continue
    ctx.beginPath()
    ctx.moveTo(x, bbox.top)
    ctx.lineTo(x, bbox.top + bbox.height)
    ctx.stroke()
  }
  ctx.restore()
}
