// A chart as a picture, and as a table of its values.

import { canvasColour } from '../../colours.ts'
import { csvOf } from '../../csv.ts'
import { save } from '../../save.ts'
import { colour } from '../../theme.ts'
import type { Heat } from './heat.ts'
import type { DrawnLine } from './line.ts'
import { axisFont } from './plot.ts'

/** Pixels of a line of the legend. */
const rowHeight = 16
/** Lines named below the picture. */
const maxLines = 40

/** The drawing with the names of its lines below it. */
export function savePicture(drawing: HTMLCanvasElement, lines: readonly DrawnLine[], title: string): void {
  const scale = devicePixelRatio
  const named = lines.slice(0, maxLines)
  const canvas = document.createElement('canvas')
  canvas.width = drawing.width
  canvas.height = drawing.height + (named.length + 2) * rowHeight * scale
  const context = canvas.getContext('2d')!
  context.fillStyle = colour('surface')
  context.fillRect(0, 0, canvas.width, canvas.height)
  context.drawImage(drawing, 0, rowHeight * scale)
  context.scale(scale, scale)
  context.font = axisFont
  context.fillStyle = colour('text')
  context.fillText(title, 8, 12)
  for (const [i, line] of named.entries()) {
    const top = drawing.height / scale + (i + 1) * rowHeight
    context.fillStyle = canvasColour(line.colour)
    context.fillRect(8, top + 2, 10, 10)
    context.fillStyle = colour('text')
    context.fillText(line.name, 24, top + 11)
  }
  canvas.toBlob(blob => blob && save(blob, 'weir-chart.png'))
}

/** A row for each cell of a heat map. */
export function saveCells({ cells, bounds, step }: Heat): void {
  const head = ['from', 'to', 'above', 'up to', 'count']
  const at = (time: number) => new Date(time * 1000).toISOString()
  const body = cells.map(({ time, low, high, count }) => [
    ...[at(time), at(time + step)],
    ...[bounds[low]!, bounds[high]!, count]
  ])
  save(new Blob([csvOf([head, ...body])], { type: 'text/csv' }), 'weir-chart.csv')
}

/** A row for each time, a column for each line. */
export function saveValues(lines: readonly DrawnLine[]): void {
  const rows = new Map<number, (number | null)[]>()
  for (const [column, { times, values }] of lines.entries()) {
    for (const [i, time] of times.entries()) {
      let row = rows.get(time)
      if (row === undefined) {
        row = new Array<number | null>(lines.length).fill(null)
        rows.set(time, row)
      }
      row[column] = values[i] ?? null
    }
  }
  const sorted = [...rows].sort(([a], [b]) => a - b)
  const head = ['time', ...lines.map(({ name }) => name)]
  const body = sorted.map(([time, row]) => [new Date(time * 1000).toISOString(), ...row.map(value => value ?? '')])
  save(new Blob([csvOf([head, ...body])], { type: 'text/csv' }), 'weir-chart.csv')
}
