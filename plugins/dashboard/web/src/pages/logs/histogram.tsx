// How many lines there were over time, by level. Dragging zooms.
import { countBy, countName, type Expression, type LogSelection, queryLogs } from '../../api/logs.ts'
import type { SqlResult } from '../../api/sql.ts'
import { textOf } from '../../cell.ts'
import { Chart, type Line } from '../../components/chart/index.tsx'
import { type Level, levelColours, levelOf, levels } from '../../levels.ts'
import type { LogTable } from '../../log-tables.ts'
import { useLoaded } from '../../task.ts'
import { formatTime, readTicks, showSpan, type TimeSpan } from '../../time.ts'
import { timeFilter } from '../../time-filter.ts'
import { countOf } from '../../words.ts'
import { differenceWords } from './compared.tsx'

/** Bars at most. */
const bars = 80
/** Groups of bar and level read at most. */
const groups = 20_000
/** Seconds. */
const steps = [
  ...[1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10_800, 21_600, 43_200, 86_400],
  ...[172_800, 604_800, 1_209_600, 2_592_000]
]
const bucketName = '__bucket'

interface HistogramProps {
  readonly table: LogTable
  readonly selection: LogSelection
  /** Name of its column. */
  readonly level: string | undefined
  readonly span: TimeSpan
  /** Of the same length, to compare with. */
  readonly compared: TimeSpan | undefined
}

export function Histogram({ table, selection, level, span, compared }: HistogramProps) {
  const step = stepOf(span)
  const { value, error } = useLoaded(
    async signal => {
      const by: Expression[] = [
        {
          ScalarFunc: {
            name: 'date_bin',
            args: [{ Literal: `${step}s` }, { NamedIdent: table.time.name }],
            alias: bucketName
          }
        },
        ...(level === undefined ? [] : [{ NamedIdent: level }])
      ]
      const load = async (span: TimeSpan): Promise<Counted> => {
        const query = { ...selection, ...countBy(by), time_filter: timeFilter(span), limit: { fetch: groups } }
        const lines = linesOf(await queryLogs(query, signal), table, level, span, step)
        return { lines, span, total: totalOf(lines) }
      }
      const [now, before] = await Promise.all([span, compared].map(each => each && load(each)))
      return { now: now!, before, step }
    },
    [selection, span, compared?.from, compared?.to, level]
  )
  // An error of the query is shown in the list of lines.
  if (value === undefined || error !== undefined) return null
  const { now, before } = value
  return (
    <section class="card histogram" aria-label="Lines over time">
      <p class="quiet">
        {countOf(now.total, 'line')}, a bar is {stepText(value.step)}
      </p>
      <Bars label="Lines over time by level" {...now} />
      {before && (
        <>
          <p class="quiet" role="note" aria-label="Comparison">
            {countOf(before.total, 'line')} from {formatTime(before.span.from)} to {formatTime(before.span.to)}; now{' '}
            <strong>{differenceWords(now.total, before.total)}</strong>
          </p>
          <Bars label="Lines over time by level, before" {...before} />
        </>
      )}
    </section>
  )
}

interface Counted {
  readonly lines: readonly Line[]
  readonly span: TimeSpan
  readonly total: number
}

function Bars({ lines, span, label }: Counted & { readonly label: string }) {
  return (
    <Chart
      label={label}
      lines={lines}
      span={span}
      height={130}
      style="bars"
      unit="count"
      isStacked
      short="sum"
      onZoom={showSpan}
    />
  )
}

function totalOf(lines: readonly Line[]): number {
  return lines.reduce((sum, { values }) => sum + values.reduce<number>((a, b) => a + (b ?? 0), 0), 0)
}

function stepOf({ from, to }: TimeSpan): number {
  const seconds = (to - from) / 1000 / bars
  return steps.find(step => step >= seconds) ?? Math.ceil(seconds / 2_592_000) * 2_592_000
}

const units = [
  [86_400, 'd'],
  [3600, 'h'],
  [60, 'min']
] as const

function stepText(seconds: number): string {
  const [size, name] = units.find(unit => seconds % unit[0] === 0) ?? [1, 's']
  return `${seconds / size} ${name}`
}

function linesOf(
  { columns, rows }: SqlResult,
  table: LogTable,
  level: string | undefined,
  span: TimeSpan,
  step: number
): Line[] {
  const countAt = columns.findIndex(({ name }) => name === countName)
  const start = Math.floor(span.from / 1000 / step)
  const length = Math.max(1, Math.ceil(span.to / 1000 / step) - start)
  // A bar stands in the middle of its time.
  const times = Array.from({ length }, (_, i) => (start + i + 0.5) * step)
  const byName = new Map<string, { readonly values: number[]; readonly level: Level }>()
  for (const row of rows) {
    const name = level === undefined ? 'lines' : nameOf(row[1])
    if (!byName.has(name)) {
      const grave = level === undefined ? 'other' : levelOf(row[1], level)
      byName.set(name, { values: new Array<number>(length).fill(0), level: grave })
    }
    const { values } = byName.get(name)!
    const at = Math.floor(readTicks(row[0], table.time.type) / 1000 / step) - start
    if (at >= 0 && at < length) values[at]! += Number(row[countAt])
  }
  return Array.from(byName, ([name, each]) => ({ name, times, values: each.values, level: each.level }))
    .sort((a, b) => levels.indexOf(b.level) - levels.indexOf(a.level))
    .map(line => ({ ...line, colour: `var(--${levelColours[line.level]})` }))
}

function nameOf(value: unknown): string {
  return value === '' || value === null ? 'without a level' : textOf(value)
}
