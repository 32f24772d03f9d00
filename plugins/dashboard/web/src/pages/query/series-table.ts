// Series of PromQL as a table: a row for each value, a column for each label.
import type { Series } from '../../api/promql.ts'
import type { SqlResult } from '../../api/sql.ts'
import type { DataTableProps } from '../../components/data-table.tsx'
import { countOf } from '../../words.ts'

export interface SeriesTable extends Pick<SqlResult, 'rows'> {
  readonly columns: DataTableProps['columns']
}

/** Heads say how many values a label has. */
export function seriesTable(series: readonly Series[]): SeriesTable {
  const names = [...new Set(series.flatMap(({ labels }) => Object.keys(labels)))].sort()
  return {
    columns: [
      { name: 'time', type: 'TimestampMillisecond' },
      ...names.map(name => ({ name, type: 'String', note: valuesOf(series, name) })),
      { name: 'value', type: 'Float64' }
    ],
    rows: series.flatMap(({ labels, times, values }) =>
      times.map((time, i) => [Math.round(time * 1000), ...names.map(name => labels[name] ?? ''), values[i]])
    )
  }
}

function valuesOf(series: readonly Series[], name: string): string {
  return countOf(new Set(series.flatMap(({ labels }) => labels[name] ?? [])).size, 'value')
}
