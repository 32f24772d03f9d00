// A histogram over time: time across, values up, and the darker a cell, the more values fell into it.
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import { isDark } from '../../theme.ts'
import { formatTime, type TimeSpan } from '../../time.ts'
import { formatValue, type Unit } from '../../units.ts'
import { zoneName } from '../../zone.ts'
import { Menu } from '../menu.tsx'
import type { Dot } from './dot.ts'
import { Dots } from './dots.tsx'
import { saveCells, savePicture } from './export.ts'
import type { Heat } from './heat.ts'
import { type Area, areaOf, type Content, draw, heightOf } from './heat-drawing.ts'
import type { Mark } from './mark.ts'
import { zoomedOut } from './zoom.ts'

interface HeatMapProps {
  readonly heat: Heat
  readonly label: string
  readonly span: TimeSpan
  readonly height?: number
  readonly unit: Unit
  readonly dots: readonly Dot[]
  readonly marks?: readonly Mark[]
  /** After dragging over a part. */
  onZoom(span: TimeSpan): void
}

interface Pointed {
  readonly x: number
  readonly y: number
}

const none: readonly Mark[] = []

export function HeatMap({ heat, label, span, height = 220, unit, dots, marks = none, onZoom }: HeatMapProps) {
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
  const area = useMemo(() => areaOf(texts, whole, height), [texts, whole, height])
  useLayoutEffect(() => {
    if (whole > 0) draw(canvas.current!, { heat, texts, span, marks }, area, height)
  }, [heat, texts, span.from, span.to, marks, whole, height, isDark.value, zoneName.value])

  const timeAt = (x: number) =>
    span.from + Math.min(1, Math.max(0, (x - area.left) / area.width)) * (span.to - span.from)
  const positions = dots.flatMap(dot => {
    const share = (dot.time * 1000 - span.from) / (span.to - span.from)
    const top = dot.value === undefined ? undefined : heightOf(heat.bounds, dot.value)
    if (share < 0 || share > 1 || top === undefined) return []
    return [{ dot, left: area.left + share * area.width, top: (1 - top) * area.height }]
  })
  return (
    <figure class="chart heat-map" aria-label={label}>
      <div class="tools">
        <Menu title="Chart" label={`Chart of ${label}`}>
          <button type="button" onClick={() => onZoom(zoomedOut(span))}>
            Zoom out
          </button>
          <button type="button" onClick={() => savePicture(canvas.current!, [], label)}>
            Save as PNG
          </button>
          <button type="button" onClick={() => saveCells(heat)}>
            Save as CSV
          </button>
        </Menu>
      </div>
      <div class="plot">
        <canvas
          ref={canvas}
          style={{ height: `${height}px` }}
          onMouseMove={({ offsetX: x, offsetY: y }) => setPointed({ x, y })}
          onMouseLeave={() => setPointed(undefined)}
          onDblClick={() => onZoom(zoomedOut(span))}
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
        <Dots positions={positions} />
        {pointed && <Tip {...{ heat, texts, area, pointed, whole, marks, span }} time={timeAt(pointed.x) / 1000} />}
      </div>
      <p class="quiet">
        0 <span class="scale" /> {formatValue(heat.max, 'none', 3)}
      </p>
    </figure>
  )
}

interface TipProps extends Content {
  readonly area: Area
  readonly pointed: Pointed
  readonly whole: number
  /** Seconds since 1970. */
  readonly time: number
}

function Tip({ heat, texts, span, marks, area, pointed: { x, y }, whole, time }: TipProps) {
  if (x < area.left || y > area.height) return null
  const row = Math.floor((1 - y / area.height) * (heat.bounds.length - 1))
  const cell = heat.cells.find(
    each => each.low <= row && row < each.high && each.time <= time && time < each.time + heat.step
  )
  const [low, high] = [cell?.low ?? row, cell?.high ?? row + 1]
  // Four pixels.
  const near = (4 * (span.to - span.from)) / 1000 / area.width
  const side = x > whole / 2 ? { right: `${whole - x + 14}px` } : { left: `${x + 14}px` }
  return (
    <div class="tooltip" style={{ top: `${y + 14}px`, ...side }}>
      <time>{formatTime(Math.round(cell?.time ?? time) * 1000)}</time>
      {marks
        .filter(mark => Math.abs(mark.time - time) < near)
        .map(({ text }, i) => (
          <div key={i} class="mark">
            {text}
          </div>
        ))}
      <div class="row">
        <span class="name">
          {texts[low]} to {texts[high]}
        </span>
        <strong>{formatValue(cell?.count ?? 0, 'none')}</strong>
      </div>
    </div>
  )
}
