// Labels of stored series: their tags and the name of their metric.
import type { SeriesTags, Table } from '../../../core/index.ts'
import { entry } from '../engine/entry.ts'
import { LabelNames, Labels, metricName } from '../engine/labels.ts'

/** A function from series numbers to labels; series of a metric with the same tags share the names. */
export function labelsOfSeries(tagsOf: (series: number) => SeriesTags): (series: number) => Labels {
  const metrics = new Map<Table, (tags: SeriesTags) => Labels>()
  return series => {
    const tags = tagsOf(series)
    return entry(metrics, tags.table, () => labelsOfMetric(tags.table.name))(tags)
  }
}

function labelsOfMetric(metric: string): (tags: SeriesTags) => Labels {
  const known = new Map<readonly string[], { readonly shared: LabelNames; readonly at: number }>()
  return ({ names, values }) => {
    // Tags with an empty value are left out.
    if (values.includes(''))
      return Labels.from([[metricName, metric], ...names.map((name, i) => [name, values[i]!] as const)])
    const { shared, at } = entry(known, names, () => {
      const after = names.findIndex(name => name > metricName)
      const at = after < 0 ? names.length : after
      return { shared: new LabelNames(names.toSpliced(at, 0, metricName)), at }
    })
    return new Labels(shared, values.toSpliced(at, 0, metric))
  }
}
