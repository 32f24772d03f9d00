// The answer to a query in one of its forms.
import { useMemo } from 'preact/hooks'
import { seriesName } from '../../api/promql.ts'
import type { SqlResult } from '../../api/sql.ts'
import { Chart, type Line } from '../../components/chart.tsx'
import { Choice } from '../../components/choice.tsx'
import { DataTable, writeJson } from '../../components/data-table.tsx'
import { change, parameters } from '../../router.ts'
import { formatDuration, type TimeSpan } from '../../time.ts'
import { type Asked, mostRows } from './ask.ts'
import { Downloads } from './downloads.tsx'
import { linesOf } from './lines.ts'
import { seriesTable } from './series-table.ts'

const views = [
  { value: 'table', title: 'Table' },
  { value: 'chart', title: 'Chart' },
  { value: 'json', title: 'JSON' }
] as const
type View = (typeof views)[number]['value']

export function Answer({ asked, onZoom }: { readonly asked: Asked; onZoom(span: TimeSpan): void }) {
  const table = useMemo(() => tableOf(asked), [asked])
  const lines = useMemo(() => chartOf(asked), [asked])
  const wanted = parameters.value.get('view') as View | null
  const natural = asked.language === 'promql' ? 'chart' : 'table'
  const view = views.some(({ value }) => value === wanted) ? (wanted as View) : natural
  if (table.affected !== undefined) return <p role="status">{table.affected} rows affected.</p>
  const took = asked.language === 'sql' ? asked.result.took : asked.took
  return (
    <>
      <div class="bar">
        <Choice
          label="View"
          value={view}
          options={views.map(each => ({ ...each, isOff: each.value === 'chart' && lines.length === 0 }))}
          onChange={name => change({ view: name === natural ? undefined : name }, true)}
        />
        <span class="quiet" role="status">
          {table.rows.length} rows in {formatDuration(took)}
          {table.rows.length === mostRows && `, the first ${mostRows}; a download has all`}
        </span>
        <span class="space" />
        <Downloads asked={asked} />
      </div>
      {asked.language === 'promql' &&
        asked.result.warnings.map(text => (
          <div class="warning" key={text}>
            {text}
          </div>
        ))}
      {view === 'table' && <DataTable label="Result" columns={table.columns} rows={table.rows} />}
      {view === 'chart' && (
        <div class="card">
          <Chart
            label="Result"
            lines={lines}
            onZoom={onZoom}
            {...(asked.language === 'promql' && { span: asked.span })}
          />
        </div>
      )}
      {view === 'json' && (
        <pre class="card" tabIndex={0}>
          {writeJson(jsonOf(asked), 2)}
        </pre>
      )}
    </>
  )
}

function tableOf(asked: Asked): Pick<SqlResult, 'columns' | 'rows' | 'affected'> {
  return asked.language === 'sql' ? asked.result : seriesTable(asked.result.series)
}

function chartOf(asked: Asked): readonly Line[] {
  if (asked.language === 'sql') return linesOf(asked.result)
  return asked.result.series.map(({ labels, times, values }) => ({ name: seriesName(labels), times, values }))
}

function jsonOf(asked: Asked): unknown {
  if (asked.language === 'promql') return asked.result.series
  const { columns, rows } = asked.result
  return rows.map(row => Object.fromEntries(columns.map(({ name }, i) => [name, row[i]])))
}
