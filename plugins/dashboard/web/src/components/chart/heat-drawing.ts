// The drawing of a heat map: its cells, annotations and axes.
import { colour } from '../../theme.ts'
import type { TimeSpan } from '../../time.ts'
import type { Heat } from './heat.ts'
import { drawLines, type Mark } from './mark.ts'
import { axisFont, halfTime } from './plot.ts'
import { roundTimes, timeWordsOf } from './time-axis.ts'

/** Pixels. */
const bottom = 34
const right = 10
const lineHeight = 15
const timeWidth = 90

export interface Area {
  readonly left: number
  readonly width: number
  readonly height: number
}

/** Input of the drawing. */
export interface Content {
  readonly heat: Heat
  /** Of the bounds. */
  readonly texts: readonly string[]
  readonly span: TimeSpan
  readonly marks: readonly Mark[]
}

/** Where the cells are: beside the widest text and above the times, all in pixels. */
export function areaOf(texts: readonly string[], width: number, height: number): Area {
  const left = widest(texts) + 14
  return { left, width: Math.max(1, width - left - right), height: height - bottom }
}

/** Share of the height at which a value lies among bounds that are as far from each other as all are. */
export function heightOf(bounds: readonly number[], value: number): number | undefined {
  const above = bounds.findIndex(bound => value <= bound)
  if (above < 0 || (above === 0 && value < bounds[0]!)) return undefined
  const [low, high] = [bounds[Math.max(0, above - 1)]!, bounds[above]!]
  const part = Number.isFinite(low) && Number.isFinite(high) && high > low ? (value - low) / (high - low) : 0.5
  return (Math.max(0, above - 1) + (above === 0 ? 0 : part)) / (bounds.length - 1)
}

export function draw(
  canvas: HTMLCanvasElement,
  { heat: { bounds, cells, max, step }, texts, span, marks }: Content,
  { left, width, height }: Area,
  whole: number
): void {
  const ratio = devicePixelRatio
  canvas.width = Math.round(canvas.clientWidth * ratio)
  canvas.height = Math.round(whole * ratio)
  const context = canvas.getContext('2d')!
  context.scale(ratio, ratio)
  context.clearRect(0, 0, canvas.width, canvas.height)
  const seconds = (span.to - span.from) / 1000
  const x = (time: number) => left + ((time - span.from / 1000) / seconds) * width
  const y = (index: number) => height - (index / (bounds.length - 1)) * height
  context.fillStyle = colour('accent')
  for (const { time, low, high, count } of cells) {
    // Cells are drawn on whole pixels; fractions would show as stripes.
    const [from, to] = [Math.max(left, x(time)), Math.min(left + width, x(time + step))].map(Math.round) as [
      number,
      number
    ]
    if (to <= from) continue
    const [top, end] = [Math.round(y(high)), Math.round(y(low))]
    context.globalAlpha = 0.08 + 0.92 * Math.sqrt(count / max)
    context.fillRect(from, top, to - from, end - top)
  }
  context.globalAlpha = 1
  const lines = marks.map(({ time }) => x(time))
  drawLines(context, lines, { left, top: 0, width, height }, { colour: colour('text'), width: 1 })
  context.fillStyle = colour('quiet')
  context.font = axisFont
  context.textBaseline = 'middle'
  context.textAlign = 'right'
  const every = Math.max(1, Math.ceil((lineHeight * (bounds.length - 1)) / height))
  for (let index = 0; index < bounds.length; index += every)
    context.fillText(texts[index]!, left - 8, Math.min(height - 6, Math.max(7, y(index))))
  const fitting = Math.max(2, Math.floor(width / timeWidth))
  const { ticks, step: apart } = roundTimes(span.from / 1000, span.to / 1000, fitting)
  const times = ticks.filter(time => x(time) >= halfTime && x(time) <= left + width + right - halfTime)
  context.textAlign = 'center'
  for (const [i, words] of timeWordsOf(times, apart).entries())
    for (const [line, word] of words.split('\n').entries())
      context.fillText(word, x(times[i]!), height + 10 + line * lineHeight)
}

function widest(texts: readonly string[]): number {
  const context = document.createElement('canvas').getContext('2d')!
  context.font = axisFont
  return Math.ceil(Math.max(20, ...texts.map(text => context.measureText(text).width)))
}
