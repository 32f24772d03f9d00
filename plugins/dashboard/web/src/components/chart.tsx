// Lines over time. Dragging zooms; charts of one page share the crosshair.
import { useEffect, useRef, useState } from 'preact/hooks'
import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import { colour, isDark } from '../theme.ts'
import type { TimeSpan } from '../time.ts'
import { timeWordsOf } from './time-axis.ts'

export interface Line {
  readonly name: string
  /** Seconds since 1970, ascending. */
  readonly times: readonly number[]
  readonly values: readonly (number | null)[]
  /** Of styles/base.css; default: by its place. */
  readonly colour?: string
}

export interface ChartProps {
  readonly lines: readonly Line[]
  readonly label: string
  readonly span?: TimeSpan
  readonly height?: number
  readonly bars?: boolean
  /** Each line on top of those behind it; all have the same times. */
  readonly isStacked?: boolean
  /** After dragging over a part. */
  onZoom?(span: TimeSpan): void
}

/** Lines drawn at most; more would neither be told apart nor drawn in time. */
const most = 100
const palette = 8

export function Chart({ lines, label, span, height = 260, bars = false, isStacked = false, onZoom }: ChartProps) {
  const place = useRef<HTMLDivElement>(null)
  const plot = useRef<uPlot>(undefined)
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set())
  const shown = lines.slice(0, most)
  const zoom = useRef(onZoom)
  zoom.current = onZoom

  useEffect(() => {
    const element = place.current!
    const axis = { stroke: colour('quiet'), grid: { stroke: colour('line'), width: 0.5 }, ticks: { show: false } }
    const options: uPlot.Options = {
      width: element.clientWidth || 600,
      height,
      legend: { show: false },
      cursor: { drag: { x: true, y: false }, sync: { key: 'page' }, points: { size: 5 } },
      scales: { x: { time: true, ...(span && { range: [span.from / 1000, span.to / 1000] }) } },
      axes: [
        { ...axis, values: (_, places, __, ___, step) => timeWordsOf(places, step) },
        { ...axis, size: 60 }
      ],
      series: [
        {},
        ...shown.map((line, i) => ({
          label: line.name,
          stroke: colour(colourName(line, i)),
          width: bars ? 0 : 1.5,
          show: !hidden.has(line.name),
          spanGaps: false,
          ...(bars && {
            fill: colour(colourName(line, i)),
            paths: uPlot.paths.bars!({ size: [0.9, 60] }),
            points: { show: false }
          })
        }))
      ],
      hooks: {
        setSelect: [
          chart => {
            const { left, width } = chart.select
            if (width < 4) return
            zoom.current?.({ from: chart.posToVal(left, 'x') * 1000, to: chart.posToVal(left + width, 'x') * 1000 })
            chart.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false)
          }
        ]
      }
    }
    const chart = new uPlot(options, aligned(isStacked ? stacked(shown, hidden) : shown), element)
    plot.current = chart
    const observer = new ResizeObserver(() => chart.setSize({ width: element.clientWidth, height }))
    observer.observe(element)
    return () => {
      observer.disconnect()
      chart.destroy()
    }
  }, [lines, isDark.value, hidden, height, bars, isStacked, span?.from, span?.to])

  const toggle = (name: string) =>
    setHidden(before => {
      const next = new Set(before)
      if (!next.delete(name)) next.add(name)
      return next
    })
  return (
    <figure class="chart" aria-label={label} style={{ margin: 0 }}>
      <div ref={place} />
      {lines.length > most && (
        <p class="quiet">
          The first {most} of {lines.length} series.
        </p>
      )}
      <ul class="legend">
        {shown.map((line, i) => (
          <li key={line.name}>
            <button type="button" aria-pressed={!hidden.has(line.name)} onClick={() => toggle(line.name)}>
              <span class="swatch" style={{ background: `var(--${colourName(line, i)})` }} />
              <span class="name">{line.name}</span>
              <span class="quiet">{bars ? formatNumber(sumOf(line)) : lastOf(line)}</span>
            </button>
          </li>
        ))}
      </ul>
    </figure>
  )
}

function colourName(line: Line, i: number): string {
  return line.colour ?? `series-${(i % palette) + 1}`
}

/** The first is drawn first and highest, so that the others stand before it. */
function stacked(lines: readonly Line[], hidden: ReadonlySet<string>): Line[] {
  const sums: number[] = new Array(lines[0]?.times.length ?? 0).fill(0)
  return lines
    .toReversed()
    .map(line => {
      if (hidden.has(line.name)) return line
      for (let i = 0; i < sums.length; i++) sums[i]! += line.values[i] ?? 0
      return { ...line, values: [...sums] }
    })
    .reverse()
}

/** All lines on one row of times. */
function aligned(lines: readonly Line[]): uPlot.AlignedData {
  const [first] = lines
  if (first === undefined) return [[]]
  if (lines.every(({ times }) => times === first.times)) {
    return [first.times, ...lines.map(({ values }) => values)] as unknown as uPlot.AlignedData
  }
  return uPlot.join(lines.map(({ times, values }) => [times, values] as unknown as uPlot.AlignedData))
}

function sumOf({ values }: Line): number {
  return values.reduce<number>((sum, value) => sum + (value ?? 0), 0)
}

function lastOf({ values }: Line): string {
  const last = values.findLast(value => value !== null && !Number.isNaN(value))
  return last === undefined || last === null ? '' : formatNumber(last)
}

export function formatNumber(value: number): string {
  const size = Math.abs(value)
  if (size !== 0 && (size >= 1e9 || size < 1e-3)) return value.toExponential(3)
  return String(Number(value.toPrecision(6)))
}
