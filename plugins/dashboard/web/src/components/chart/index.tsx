// Values over time: lines, areas, bars or points. Dragging zooms in, a double-click zooms out; charts of one page share the crosshair.
import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import './chart.css'
import { isDark } from '../../theme.ts'
import type { TimeSpan } from '../../time.ts'
import type { Unit } from '../../units.ts'
import { zoneName } from '../../zone.ts'
import { Choice } from '../choice.tsx'
import { Menu } from '../menu.tsx'
import type { Dot } from './dot.ts'
import { Dots, useDots } from './dots.tsx'
import { savePicture, saveValues } from './export.ts'
import { Legend } from './legend.tsx'
import { chooseLines, type Line } from './line.ts'
import type { Mark } from './mark.ts'
import { type Content, type Cursor, plotData, plotOptions, type Style } from './plot.ts'
import { Tooltip } from './tooltip.tsx'
import { zoomedOut } from './zoom.ts'

export type { Dot } from './dot.ts'
export type { Line } from './line.ts'
export type { Mark } from './mark.ts'
export type { Style } from './plot.ts'

export interface ChartProps {
  readonly lines: readonly Line[]
  readonly label: string
  readonly span?: TimeSpan
  readonly height?: number
  readonly unit?: Unit
  readonly style?: Style
  /** Lines are stacked. */
  readonly isStacked?: boolean
  /** A small chart: lines in the given order, one figure for each in the legend, no menu. */
  readonly short?: 'sum' | 'last'
  readonly marks?: readonly Mark[]
  readonly dots?: readonly Dot[]
  /** After dragging over a part, or for a double-click. */
  onZoom?(span: TimeSpan): void
}

const styles = [
  { value: 'lines', title: 'Lines' },
  { value: 'area', title: 'Area' },
  { value: 'bars', title: 'Bars' },
  { value: 'points', title: 'Points' }
] as const
const none: readonly never[] = []
const nothing: ReadonlySet<string> = new Set()

export function Chart(props: ChartProps) {
  const { lines, label, span, height = 260, unit = 'none', short, marks = none, dots = none, onZoom } = props
  const container = useRef<HTMLDivElement>(null)
  const plot = useRef<uPlot>(undefined)
  const [hidden, setHidden] = useState(nothing)
  const [style, setStyle] = useState<Style>(props.style ?? 'lines')
  const [isStacked, setStacked] = useState(props.isStacked ?? false)
  const [isLog, setLog] = useState(false)
  const [cursor, setCursor] = useState<Cursor>()
  const { lines: drawn, note } = useMemo(() => chooseLines(lines, short === undefined), [lines, short, isDark.value])
  const { positions, onDraw } = useDots(dots)
  const zoom = useRef(onZoom)
  zoom.current = onZoom
  const shown = useMemo(() => drawn.filter(({ name }) => !hidden.has(name)), [drawn, hidden])

  const zoomOut = () => {
    const { min, max } = plot.current?.scales['x'] ?? {}
    if (min === undefined || max === undefined) return
    zoom.current?.(zoomedOut({ from: min * 1000, to: max * 1000 }))
  }
  const isShown = ({ name }: Line) => !hidden.has(name)
  const content = useMemo<Content>(
    () => ({ lines: drawn, span, marks, dots }),
    [drawn, span?.from, span?.to, marks, dots]
  )
  const latest = useRef({ content, onDraw })
  latest.current = { content, onDraw }
  /** The content that was drawn last. */
  const given = useRef<Content>(undefined)
  const pointed = useRef<{ readonly left: number; readonly top: number }>(undefined)
  const seriesKey = useMemo(() => JSON.stringify(drawn.map(({ name, colour }) => [name, colour])), [drawn])
  useLayoutEffect(() => {
    const element = container.current!
    const options = plotOptions({
      lines: drawn,
      width: element.clientWidth || 600,
      height,
      style,
      isStacked,
      isLog,
      unit,
      pointed: element.matches(':hover') ? pointed.current : undefined,
      isShown,
      content: () => latest.current.content,
      onDraw: each => latest.current.onDraw(each),
      onZoom: chosen => zoom.current?.(chosen),
      // The other charts of the page follow the crosshair; only the one under the mouse shows a tooltip.
      onCursor: at => setCursor(element.matches(':hover') ? at : undefined)
    })
    const chart = new uPlot(options, plotData(drawn, isStacked, isLog, isShown), element)
    plot.current = chart
    given.current = content
    const observer = new ResizeObserver(() => chart.setSize({ width: element.clientWidth, height }))
    observer.observe(element)
    chart.over.addEventListener('dblclick', zoomOut)
    chart.over.addEventListener('mouseleave', () => setCursor(undefined))
    return () => {
      const { left = -1, top = -1 } = chart.cursor
      pointed.current = left < 0 ? undefined : { left, top }
      observer.disconnect()
      chart.destroy()
    }
  }, [seriesKey, span === undefined, isDark.value, zoneName.value, hidden, height, style, isStacked, isLog, unit])
  // The same lines with new values: crosshair, tooltip and a drag in progress stay.
  useLayoutEffect(() => {
    if (given.current === content) return
    given.current = content
    plot.current!.setData(plotData(drawn, isStacked, isLog, isShown))
  }, [content])

  return (
    <figure class="chart" aria-label={label}>
      {short === undefined && (
        <div class="tools">
          <Menu title="Chart" label={`Chart of ${label}`}>
            <Choice<Style> label="Style" value={style} options={styles} onChange={value => setStyle(value)} />
            <label>
              <input type="checkbox" checked={isStacked} onChange={() => setStacked(!isStacked)} /> Stacked
            </label>
            <label>
              <input type="checkbox" checked={isLog} onChange={() => setLog(!isLog)} /> Logarithmic
            </label>
            {onZoom && (
              <button type="button" onClick={zoomOut}>
                Zoom out
              </button>
            )}
            <button type="button" onClick={() => savePicture(plot.current!.ctx.canvas, shown, label)}>
              Save as PNG
            </button>
            <button type="button" onClick={() => saveValues(shown)}>
              Save as CSV
            </button>
          </Menu>
        </div>
      )}
      <div class="plot">
        <div ref={container} />
        <Dots positions={positions} />
        {cursor && (
          <Tooltip
            cursor={cursor}
            lines={shown}
            marks={marks}
            unit={unit}
            width={container.current?.clientWidth ?? 0}
            near={nearOf(plot.current)}
          />
        )}
      </div>
      {note !== undefined && <p class="quiet">{note}</p>}
      <Legend lines={drawn} hidden={hidden} unit={unit} short={short} onHide={setHidden} />
    </figure>
  )
}

/** Seconds that four pixels are. */
function nearOf(chart: uPlot | undefined): number {
  const { min, max } = chart?.scales['x'] ?? {}
  return min === undefined || max === undefined ? 0 : ((max - min) / (chart!.over.clientWidth || 600)) * 4
}
