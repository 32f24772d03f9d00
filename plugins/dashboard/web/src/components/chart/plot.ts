// Options and data for uPlot: scales, axes, series and stacking.
import uPlot from 'uplot'
import { canvasColour } from '../../colours.ts'
import { colour } from '../../theme.ts'
import type { TimeSpan } from '../../time.ts'
import { axisSteps, axisTexts, formatValue, type Unit } from '../../units.ts'
import { zone, zoneName } from '../../zone.ts'
import { type Dot, withDots } from './dot.ts'
import type { DrawnLine, Line } from './line.ts'
import { drawMarks, type Mark } from './mark.ts'
import { timeWordsOf } from './time-axis.ts'

export type Style = 'lines' | 'area' | 'bars' | 'points'

/** Content of a chart that changes without a new chart. */
export interface Content {
  readonly lines: readonly DrawnLine[]
  readonly span: TimeSpan | undefined
  readonly marks: readonly Mark[]
  readonly dots: readonly Dot[]
}

interface PlotOptions {
  readonly lines: readonly DrawnLine[]
  readonly width: number
  readonly height: number
  readonly style: Style
  readonly isStacked: boolean
  readonly isLog: boolean
  readonly unit: Unit
  /** Pixels where the crosshair stands at first. */
  readonly pointed: { readonly left: number; readonly top: number } | undefined
  /** At the moment; whether it has a span stays as it is. */
  content(): Content
  isShown(line: DrawnLine): boolean
  onZoom(span: TimeSpan): void
  onCursor(cursor: Cursor | undefined): void
  onDraw(chart: uPlot): void
}

/** Where the mouse is. */
export interface Cursor {
  /** Pixels from the corner of the chart. */
  readonly left: number
  readonly top: number
  /** Seconds since 1970. */
  readonly time: number
}

export const axisFont = '11px system-ui, sans-serif'
/** Pixels between the texts of an axis and the edge. */
const margin = 10
/** Pixels from one text below a time axis to the next, and half of the longest, which has milliseconds. */
const timeWidth = 68
export const halfTime = 38
/** Pixels of the texts of a value axis at least, so that half of a time has room below it. */
const minValue = halfTime - margin

export function plotOptions(options: PlotOptions): uPlot.Options {
  const { lines, width, height, style, isStacked, isLog, unit, pointed, content, isShown, onZoom, onCursor } = options
  const inReach = (min: number | null, max: number | null) => withDots(min, max, content().dots)
  const timeRange = (): [number, number] => {
    const { from, to } = content().span!
    return [from / 1000, to / 1000]
  }
  const axis: uPlot.Axis = {
    stroke: colour('quiet'),
    font: axisFont,
    grid: { stroke: colour('line'), width: 0.5 },
    ticks: { show: false }
  }
  const isFilled = style === 'area' || style === 'bars' || isStacked
  return {
    width,
    height,
    legend: { show: false },
    // Half of the text below the last tick lies beside the plot.
    padding: [null, halfTime, null, null],
    ...(zone.value !== 'local' && { tzDate: (at: number) => uPlot.tzDate(new Date(at * 1000), zoneName.value) }),
    cursor: {
      drag: { x: true, y: false, setScale: false },
      sync: { key: 'page', setSeries: false },
      points: { size: 5 }
    },
    scales: {
      x: { time: true, ...(content().span && { range: timeRange }) },
      y: isLog
        ? { distr: 3, range: (_, min, max) => logRange(...inReach(min, max)) }
        : { range: (_, min, max) => rangeOf(...inReach(min, max), isFilled) }
    },
    axes: [
      { ...axis, size: 38, space: timeWidth, values: (_, ticks, __, ___, step) => timeWordsOf(ticks, step) },
      {
        ...axis,
        size: (chart, texts) => widest(chart, texts) + margin,
        incrs: axisSteps(unit),
        values: (_, ticks) =>
          isLog ? ticks.map(tick => (tick === null ? '' : formatValue(tick, unit, 3))) : axisTexts(ticks, unit)
      }
    ],
    series: [{}, ...lines.map(line => seriesOf(line, style, isFilled && !isLog, isShown(line)))],
    hooks: {
      draw: [chart => drawMarks(chart, content().marks), options.onDraw],
      ready: [chart => pointed && chart.setCursor(pointed)],
      setCursor: [
        chart => {
          const { left = -1, top = -1 } = chart.cursor
          const inside = left >= 0 && top >= 0
          onCursor(
            inside
              ? { left: left + chart.over.offsetLeft, top: top + chart.over.offsetTop, time: chart.posToVal(left, 'x') }
              : undefined
          )
        }
      ],
      setSelect: [
        chart => {
          const { left, width: chosen } = chart.select
          if (chosen < 4) return
          onZoom({ from: chart.posToVal(left, 'x') * 1000, to: chart.posToVal(left + chosen, 'x') * 1000 })
          chart.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false)
        }
      ]
    }
  }
}

function seriesOf(line: DrawnLine, style: Style, isFilled: boolean, isShown: boolean): uPlot.Series {
  const stroke = canvasColour(line.colour)
  return {
    label: line.name,
    stroke,
    show: isShown,
    spanGaps: false,
    width: style === 'bars' ? 0 : 1.5,
    ...(style === 'area' && { fill: `color-mix(in srgb, ${stroke} ${isFilled ? 35 : 12}%, transparent)` }),
    ...(style === 'points' && { paths: () => null, points: { show: true, size: 4, fill: stroke } }),
    ...(style === 'bars' && { fill: stroke, paths: uPlot.paths.bars!({ size: [0.9, 60] }), points: { show: false } })
  }
}

function widest(chart: uPlot, texts: readonly string[] | null): number {
  const { ctx } = chart
  ctx.save()
  ctx.font = axisFont
  const width = Math.max(minValue, ...(texts ?? []).map(text => ctx.measureText(text).width))
  ctx.restore()
  return Math.ceil(width)
}

/** With some room around the values; from zero where areas are filled or zero is near. */
function rangeOf(min: number | null, max: number | null, isFilled: boolean): [number, number] {
  if (min === null || max === null || !Number.isFinite(min) || !Number.isFinite(max)) return [0, 1]
  const low = isFilled || (min > 0 && min < max * 0.5) ? Math.min(0, min) : min
  const high = isFilled ? Math.max(0, max) : max
  const margin = (high - low || Math.abs(high) || 1) * 0.06
  return [low === 0 ? 0 : low - margin, high === 0 && low < 0 ? 0 : high + margin]
}

function logRange(min: number | null, max: number | null): [number, number] {
  if (min === null || max === null || !(min > 0)) return [1e-3, max !== null && max > 1e-3 ? max : 1]
  return [10 ** Math.floor(Math.log10(min)), 10 ** Math.ceil(Math.log10(max * 1.0001))]
}

/** The values to draw. Stacked: each visible line is added to those before it. */
export function plotData(
  lines: readonly DrawnLine[],
  isStacked: boolean,
  isLog: boolean,
  isShown: (line: DrawnLine) => boolean
): uPlot.AlignedData {
  const data = aligned(lines)
  if (isLog) return [data[0]!, ...data.slice(1).map(values => onlyPositive(values!))] as uPlot.AlignedData
  if (!isStacked) return data
  const sums: number[] = new Array(data[0]!.length).fill(0)
  const stacks = lines.map((line, i) => [line, data[i + 1]!] as const).toReversed()
  const values = stacks.map(([line, own]) => {
    if (!isShown(line)) return own
    for (let i = 0; i < sums.length; i++) sums[i]! += own[i] ?? 0
    return [...sums]
  })
  return [data[0]!, ...values.reverse()] as uPlot.AlignedData
}

/** A logarithm knows no others. */
function onlyPositive(values: ArrayLike<number | null | undefined>): (number | null)[] {
  return Array.from(values, value => (value !== null && value !== undefined && value > 0 ? value : null))
}

/** Joins the times of all lines to one ascending list. */
function aligned(lines: readonly Line[]): uPlot.AlignedData {
  const [first] = lines
  if (first === undefined) return [[]]
  if (lines.every(({ times }) => times === first.times)) {
    return [first.times, ...lines.map(({ values }) => values)] as unknown as uPlot.AlignedData
  }
  return uPlot.join(lines.map(({ times, values }) => [times, values] as unknown as uPlot.AlignedData))
}
