// The answer to a query in one of its forms.
import { useMemo, useState } from 'preact/hooks'
import type { SqlResult } from '../../api/sql.ts'
import { plainValue } from '../../cell.ts'
import { Annotations, annotationsOfAddress } from '../../components/annotations.tsx'
import type { Line } from '../../components/chart/index.tsx'
import { linesOf, type PickedColumns } from '../../components/chart/row-lines.ts'
import { linesOfSeries } from '../../components/chart/series-lines.ts'
import { Choice } from '../../components/choice.tsx'
import { DataTable } from '../../components/data-table.tsx'
import { JsonView } from '../../components/json-view.tsx'
import { lazy } from '../../components/lazy.tsx'
import { useMarks } from '../../components/use-marks.ts'
import { addressOf, change, parameters } from '../../router.ts'
import { database } from '../../session.ts'
import { currentSpan, formatDuration, isTime, type TimeSpan } from '../../time.ts'
import { type Unit, unitOfExpression, unitOfName } from '../../units.ts'
import { countOf } from '../../words.ts'
import { type Asked, canPage } from './ask.ts'
import { Downloads } from './downloads.tsx'
import { PickColumns, pickedColumns } from './picked.tsx'
import { Plan } from './plan.tsx'
import { RowPages, useShownPage, wordsOfPage } from './row-pages.tsx'
import { type SeriesTable, seriesTable } from './series-table.ts'
import { Statistics } from './statistics.tsx'

const Chart = lazy(async () => (await import('../../components/chart/index.tsx')).Chart)
const Parts = lazy(async () => (await import('./parts.tsx')).Parts)

const views = [
  { value: 'table', title: 'Table' },
  { value: 'chart', title: 'Chart' },
  { value: 'json', title: 'JSON' },
  { value: 'parts', title: 'Parts' },
  { value: 'plan', title: 'Plan' }
] as const
type View = (typeof views)[number]['value']

interface AnswerProps {
  readonly asked: Asked
  onZoom(span: TimeSpan): void
}

export function Answer({ asked: whole, onZoom }: AnswerProps) {
  const shown = useShownPage(whole)
  const { asked } = shown
  const table = useMemo(() => tableOf(asked), [asked])
  const picked = pickedColumns()
  const lines = useMemo(() => chartOf(asked, picked), [asked, JSON.stringify(picked)])
  const hasTime = asked.language === 'sql' && asked.result.columns.some(({ type }) => isTime(type))
  const offered = views.filter(({ value }) => isOffered(value, asked))
  const wanted = parameters.value.get('view') as View | null
  const [isColumns, setColumns] = useState(false)
  const isInstant = asked.language === 'promql' && parameters.value.get('at') !== null
  const natural = isInstant ? 'table' : asked.language === 'promql' ? 'chart' : 'table'
  const view = offered.some(({ value }) => value === wanted) ? (wanted as View) : natural
  const span = useMemo(() => (asked.language === 'promql' ? asked.span : currentSpan()), [asked])
  const seconds = { from: span.from / 1000, to: span.to / 1000 }
  const marks = useMarks(view === 'chart' ? annotationsOfAddress() : [], seconds, database.value)
  if (table.affected !== undefined) return <p role="status">{countOf(table.affected, 'row')} affected.</p>
  const took = asked.language === 'sql' ? asked.result.took : asked.took
  return (
    <>
      <div class="bar">
        <Choice
          label="View"
          value={view}
          options={offered.map(each => ({ ...each, isOff: each.value === 'chart' && lines.length === 0 && !hasTime }))}
          onChange={name => change({ view: name === natural ? undefined : name }, true)}
        />
        <span class="quiet" role="status">
          {countOf(table.rows.length, 'row')} in {formatDuration(took)}
          {wordsOfPage(shown, table.rows.length)}
        </span>
        <RowPages {...shown} />
        <span class="space" />
        {view === 'chart' && <Annotations marks={marks} />}
        <button type="button" disabled={table.rows.length === 0} onClick={() => setColumns(true)}>
          Columns
        </button>
        <a
          class="button"
          href={addressOf('boards', {
            board: 'new',
            edit: '1',
            add: asked.language === 'sql' ? asked.written : asked.text,
            lang: asked.language,
            marks: parameters.value.get('marks') ?? undefined
          })}
        >
          Dashboard
        </a>
        <Downloads asked={asked} />
      </div>
      {asked.language === 'promql' &&
        asked.result.warnings.map(text => (
          <div class="warning" key={text}>
            {text}
          </div>
        ))}
      {isColumns && <Statistics asked={asked} table={table} onClose={() => setColumns(false)} />}
      {view === 'table' && <DataTable label="Result" columns={table.columns} rows={table.rows} />}
      {view === 'chart' && (
        <div class="card stack">
          {hasTime && <PickColumns columns={table.columns} />}
          <Chart
            label="Result"
            lines={lines}
            unit={unitOf(asked, lines)}
            {...(marks.value && { marks: marks.value })}
            onZoom={onZoom}
            {...(asked.language === 'promql' && { span: asked.span })}
          />
        </div>
      )}
      {view === 'plan' && asked.language === 'sql' && <Plan asked={asked} />}
      {view === 'json' && <Json asked={asked} />}
      {view === 'parts' && asked.language === 'promql' && <Parts expression={asked.text} />}
    </>
  )
}

function isOffered(view: View, { language, text }: Asked): boolean {
  if (view === 'parts') return language === 'promql'
  return view !== 'plan' || (language === 'sql' && canPage(text))
}

function tableOf(asked: Asked): SeriesTable & Pick<SqlResult, 'affected'> {
  return asked.language === 'sql' ? asked.result : seriesTable(asked.result.series)
}

function chartOf(asked: Asked, picked: PickedColumns): readonly Line[] {
  if (asked.language === 'sql') return linesOf(asked.result, picked)
  const { from, to } = asked.span
  return linesOfSeries(asked.result.series, { from: from / 1000, to: to / 1000 }, asked.step)
}

function unitOf(asked: Asked, lines: readonly Line[]): Unit {
  if (asked.language === 'promql') return unitOfExpression(asked.text)
  const units = new Set(lines.map(({ name }) => unitOfName(name.split(' ').at(-1)!)))
  return units.size === 1 ? [...units][0]! : 'none'
}

function Json({ asked }: { readonly asked: Asked }) {
  const item = useMemo(() => itemsOf(asked), [asked])
  return (
    <JsonView count={asked.language === 'promql' ? asked.result.series.length : asked.result.rows.length} item={item} />
  )
}

function itemsOf(asked: Asked): (i: number) => unknown {
  if (asked.language === 'promql') {
    const { series } = asked.result
    return i => {
      const { labels, times, values } = series[i]!
      return { metric: labels, values: times.map((time, at) => [time, values[at]]) }
    }
  }
  const { columns, rows } = asked.result
  return i => Object.fromEntries(columns.map(({ name, type }, at) => [name, plainValue(rows[i]![at], type)]))
}
