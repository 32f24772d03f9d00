// A histogram over time: time across, values up, and the darker a cell, the more values fell into it.
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import { colour, isDark } from '../../theme.ts'
import { formatTime, type TimeSpan } from '../../time.ts'
import { formatValue, type Unit } from '../../units.ts'
import { zoneName } from '../../zone.ts'
import type { Dot } from './dot.ts'
import { Dots } from './dots.tsx'
import type { Heat } from './heat.ts'
import { axisFont, halfTime } from './plot.ts'
import { roundTimes, timeWordsOf } from './time-axis.ts'

/** Pixels. */
const bottom = 34
const right = 10
const lineHeight = 15
const timeWidth = 90

export interface HeatMapProps {
  readonly heat: Heat
  readonly label: string
  readonly span: TimeSpan
  readonly height?: number
  readonly unit: Unit
  readonly dots: readonly Dot[]
  /** After dragging over a part. */
  onZoom(span: TimeSpan): void
}

interface Area {
  readonly left: number
  readonly width: number
  readonly height: number
}

interface Pointed {
  readonly x: number
  readonly y: number
}

export function HeatMap({ heat, label, span, height = 220, unit, dots, onZoom }: HeatMapProps) {
  const canvas = useRef<HTMLCanvasElement>(null)
  const [whole, setWhole] = useState(0)
  const [pointed, setPointed] = useState<Pointed>()
  const began = useRef<number>(undefined)
  useEffect(() => {
    const observer = new ResizeObserver(([entry]) => setWhole(entry!.contentRect.width))
    observer.observe(canvas.current!)
    return () => observer.disconnect()
  }, [])
  const texts = useMemo(() => heat.bounds.map(bound => formatValue(bound, unit, 3)), [heat, unit])
  const left = useMemo(() => widest(texts) + 14, [texts])
  const area = { left, width: Math.max(1, whole - left - right), height: height - bottom }
  useLayoutEffect(() => {
    if (whole > 0) draw(canvas.current!, heat, texts, span, area, height)
  }, [heat, texts, span.from, span.to, whole, height, isDark.value, zoneName.value])

  const timeAt = (x: number) =>
    span.from + Math.min(1, Math.max(0, (x - area.left) / area.width)) * (span.to - span.from)
  const places = dots.flatMap(dot => {
    const share = (dot.time * 1000 - span.from) / (span.to - span.from)
    const top = dot.value === undefined ? undefined : heightOf(heat.bounds, dot.value)
    if (share < 0 || share > 1 || top === undefined) return []
    return [{ dot, left: area.left + share * area.width, top: (1 - top) * area.height }]
  })
  return (
    <figure class="chart heat-map" aria-label={label}>
      <div class="plot">
        <canvas
          ref={canvas}
          style={{ height: `${height}px` }}
          onMouseMove={({ offsetX: x, offsetY: y }) => setPointed({ x, y })}
          onMouseLeave={() => setPointed(undefined)}
          onMouseDown={({ offsetX }) => {
            began.current = timeAt(offsetX)
          }}
          onMouseUp={({ offsetX }) => {
            const times = [began.current ?? Number.NaN, timeAt(offsetX)].sort((a, b) => a - b)
            began.current = undefined
            if (times[1]! - times[0]! > (4 / area.width) * (span.to - span.from))
              onZoom({ from: times[0]!, to: times[1]! })
          }}
        />
        <Dots places={places} />
        {pointed && <Tip {...{ heat, texts, area, pointed, whole }} time={timeAt(pointed.x) / 1000} />}
      </div>
      <p class="quiet">
        0 <span class="scale" /> {formatValue(heat.most, 'none', 3)}
      </p>
    </figure>
  )
}

interface TipProps {
  readonly heat: Heat
  readonly texts: readonly string[]
  readonly area: Area
  readonly pointed: Pointed
  readonly whole: number
  /** Seconds since 1970. */
  readonly time: number
}

function Tip({ heat, texts, area, pointed: { x, y }, whole, time }: TipProps) {
  if (x < area.left || y > area.height) return null
  const row = Math.floor((1 - y / area.height) * (heat.bounds.length - 1))
  const cell = heat.cells.find(
    each => each.low <= row && row < each.high && each.time <= time && time < each.time + heat.step
  )
  const [low, high] = [cell?.low ?? row, cell?.high ?? row + 1]
  const side = x > whole / 2 ? { right: `${whole - x + 14}px` } : { left: `${x + 14}px` }
  return (
    <div class="tooltip" style={{ top: `${y + 14}px`, ...side }}>
      <time>{formatTime(Math.round(cell?.time ?? time) * 1000)}</time>
      <div class="row">
        <span class="name">
          {texts[low]} to {texts[high]}
        </span>
        <strong>{formatValue(cell?.count ?? 0, 'none')}</strong>
      </div>
    </div>
  )
}

/** Share of the height at which a value lies among bounds that are as far from each other as all are. */
function heightOf(bounds: readonly number[], value: number): number | undefined {
  const above = bounds.findIndex(bound => value <= bound)
  if (above < 0 || (above === 0 && value < bounds[0]!)) return undefined
  const [low, high] = [bounds[Math.max(0, above - 1)]!, bounds[above]!]
  const part = Number.isFinite(low) && Number.isFinite(high) && high > low ? (value - low) / (high - low) : 0.5
  return (Math.max(0, above - 1) + (above === 0 ? 0 : part)) / (bounds.length - 1)
}

function draw(
  canvas: HTMLCanvasElement,
  { bounds, cells, most, step }: Heat,
  texts: readonly string[],
  span: TimeSpan,
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
  const y = (place: number) => height - (place / (bounds.length - 1)) * height
  context.fillStyle = colour('accent')
  for (const { time, low, high, count } of cells) {
    // Whole pixels: parts of them would be stripes.
    const [from, to] = [Math.max(left, x(time)), Math.min(left + width, x(time + step))].map(Math.round) as [
      number,
      number
    ]
    if (to <= from) continue
    const [top, end] = [Math.round(y(high)), Math.round(y(low))]
    context.globalAlpha = 0.08 + 0.92 * Math.sqrt(count / most)
    context.fillRect(from, top, to - from, end - top)
  }
  context.globalAlpha = 1
  context.fillStyle = colour('quiet')
  context.font = axisFont
  context.textBaseline = 'middle'
  context.textAlign = 'right'
  const every = Math.max(1, Math.ceil((lineHeight * (bounds.length - 1)) / height))
  for (let place = 0; place < bounds.length; place += every)
    context.fillText(texts[place]!, left - 8, Math.min(height - 6, Math.max(7, y(place))))
  const fitting = Math.max(2, Math.floor(width / timeWidth))
  const { places, step: apart } = roundTimes(span.from / 1000, span.to / 1000, fitting)
  const times = places.filter(time => x(time) >= halfTime && x(time) <= left + width + right - halfTime)
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
