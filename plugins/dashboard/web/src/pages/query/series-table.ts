// Series of PromQL as a table: a row for each value, a column for each label.
import type { Series } from '../../api/promql.ts'
import type { SqlResult } from '../../api/sql.ts'

export function seriesTable(series: readonly Series[]): Pick<SqlResult, 'columns' | 'rows'> {
  const names = [...new Set(series.flatMap(({ labels }) => Object.keys(labels)))].sort()
  return {
    columns: [
      { name: 'time', type: 'TimestampMillisecond' },
      ...names.map(name => ({ name, type: 'String' })),
      { name: 'value', type: 'Float64' }
    ],
    rows: series.flatMap(({ labels, times, values }) =>
      times.map((time, i) => [Math.round(time * 1000), ...names.map(name => labels[name] ?? ''), values[i]])
    )
  }
}
