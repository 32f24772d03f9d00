// One panel: the results of its queries, drawn as its kind says.
import { useMemo } from 'preact/hooks'
import { textOf as cellText } from '../../cell.ts'
import { HeatMap } from '../../components/chart/heat-map.tsx'
import { Chart, type Mark } from '../../components/chart/index.tsx'
import { DataTable } from '../../components/data-table.tsx'
import { Problem } from '../../components/problem.tsx'
import { levelOf } from '../../levels.ts'
import { dotsOf, isQuantile, unitOfObserved } from '../../observations.ts'
import { useLoaded } from '../../task.ts'
import { formatTime, readTicks, showSpan, type TimeSpan } from '../../time.ts'
import { formatValue, type Unit, unitOfExpression } from '../../units.ts'
import type { Panel } from './document.ts'
import { askedBy, type Loaded, loadPanel } from './load.ts'
import type { Values } from './substitute.ts'

/** Pixels of one unit of height. */
const unitHeight = 30
/** Pixels of a panel around its content. */
const frame = 60

interface PanelViewProps {
  readonly panel: Panel
  readonly values: Values
  readonly span: TimeSpan
  readonly db: string
  readonly marks: readonly Mark[]
}

export function PanelView({ panel, values, span, db, marks }: PanelViewProps) {
  const { kind } = panel
  const { value, error, isRunning } = useLoaded<Loaded | undefined>(
    async signal => (kind === 'text' || kind === 'row' ? undefined : loadPanel(panel, { values, span, db, signal })),
    [panel, values, span, db]
  )
  if (kind === 'text') return <p class="written">{panel.text}</p>
  if (askedBy(panel).length === 0) return <p class="quiet">It asks nothing yet.</p>
  if (error !== undefined) return <Problem error={error} />
  if (value === undefined) return <p class="quiet">{isRunning ? 'Loading …' : ''}</p>
  if (value.kind === 'logs') return <LogList {...value} height={panel.height * unitHeight} />
  if (value.kind === 'rows') {
    const label = panel.title || 'Rows'
    if (value.rows.length === 0) return <p class="quiet">No rows.</p>
    return (
      <div class="panel-table" style={{ maxHeight: `${panel.height * unitHeight}px` }}>
        <DataTable label={label} columns={value.columns} rows={value.rows} />
      </div>
    )
  }
  if (value.series.length === 0 && value.lines.length === 0) return <p class="quiet">No samples in this time.</p>
  const unit = panel.unit ?? unitOf(panel)
  if (kind === 'stat') return <Stat lines={value.lines} unit={unit} />
  return <Drawing panel={panel} value={value} unit={unit} span={span} db={db} marks={marks} />
}

interface DrawingProps extends Pick<PanelViewProps, 'panel' | 'span' | 'db' | 'marks'> {
  readonly value: Extract<Loaded, { kind: 'lines' }>
  readonly unit: Unit
}

function Drawing({ panel, value, unit, span, db, marks }: DrawingProps) {
  const { style, stacked, title, queries } = panel
  const { heat, lines, exemplars } = value
  const label = title || 'Panel'
  const height = Math.max(100, panel.height * unitHeight - frame)
  const text = queries[0]?.text ?? ''
  const isHeat = heat !== undefined && (style === undefined || style === 'heat map' || lines.length === 0)
  const observed = panel.unit ?? unitOfObserved(text, undefined)
  const dots = useMemo(
    () => dotsOf(exemplars, observed, isHeat || isQuantile(text), db),
    [exemplars, observed, isHeat, text, db]
  )
  const notes = [
    ...value.warnings,
    ...(style === 'heat map' && !isHeat ? ['These are no buckets of one histogram: drawn as lines.'] : []),
    ...(lines.length === 0 && !isHeat ? ['Native histograms: sum them for a heat map, or take a quantile.'] : [])
  ]
  const shared = { label, span, dots, marks, height, onZoom: showSpan }
  return (
    <>
      {notes.map(note => (
        <div class="warning" key={note}>
          {note}
        </div>
      ))}
      {isHeat && <HeatMap {...shared} heat={heat} unit={observed} />}
      {!isHeat && lines.length > 0 && (
        <Chart
          {...shared}
          lines={lines}
          unit={unit}
          {...(style !== undefined && style !== 'heat map' && { style })}
          {...(stacked && { isStacked: true })}
          key={`${style} ${stacked}`}
        />
      )}
    </>
  )
}

function unitOf({ queries: [first] }: Panel): Unit {
  return first?.language === 'promql' ? unitOfExpression(first.text) : 'none'
}

function Stat({ lines, unit }: { readonly lines: Extract<Loaded, { kind: 'lines' }>['lines']; readonly unit: Unit }) {
  return (
    <div class="stats">
      {lines.slice(0, 20).map(({ name, values }) => (
        <p key={name}>
          <strong>{formatValue(values.findLast(value => value !== null) ?? null, unit) || '–'}</strong>
          {lines.length > 1 && <span class="quiet">{name}</span>}
        </p>
      ))}
    </div>
  )
}

type Logs = Extract<Loaded, { kind: 'logs' }>

function LogList({ table, result: { columns, rows }, height }: Logs & { readonly height: number }) {
  const timeAt = columns.findIndex(({ name }) => name === table.time.name)
  const messageAt = columns.findIndex(({ name }) => name === table.message)
  const levelAt = columns.findIndex(({ name }) => /^(level|severity.*|lvl)$/i.test(name))
  if (rows.length === 0) return <p class="quiet">No lines.</p>
  return (
    <ol class="panel-lines mono" tabIndex={0} aria-label="Lines" style={{ maxHeight: `${height}px` }}>
      {rows.map((row, i) => (
        <li key={i} class={levelAt < 0 ? undefined : `level-${levelOf(row[levelAt])}`}>
          <time>{formatTime(Math.floor(readTicks(row[timeAt], table.time.type)))}</time> {cellText(row[messageAt])}
        </li>
      ))}
    </ol>
  )
}
