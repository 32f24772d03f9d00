// PromQL that one click makes of a metric.
export type Kind = 'counter' | 'gauge' | 'histogram'

const bare = /^[a-zA-Z_:][a-zA-Z0-9_:]*$/

/** The kind of a metric, by its metadata, else by its name. */
export function kindOf(name: string, type: string | undefined): Kind {
  if (name.endsWith('_bucket') || type === 'histogram')
    return name.endsWith('_sum') || name.endsWith('_count') ? 'counter' : 'histogram'
  if (type === 'counter' || /_(total|count|sum)$/.test(name)) return 'counter'
  return 'gauge'
}

/** A metric as a selector, whatever characters its name has. */
export function selector(name: string, matchers = ''): string {
  if (bare.test(name)) return matchers === '' ? name : `${name}{${matchers}}`
  return `{${JSON.stringify(name)}${matchers === '' ? '' : `, ${matchers}`}}`
}

function label(name: string): string {
  return /^[a-zA-Z_][a-zA-Z0-9_]*$/.test(name) ? name : JSON.stringify(name)
}

export function firstExpression(name: string, kind: Kind, matchers = ''): string {
  if (kind === 'histogram') return quantile(name, 0.95, { matchers })
  return kind === 'counter' ? `sum(rate(${selector(name, matchers)}[5m]))` : selector(name, matchers)
}

interface Offer {
  readonly title: string
  readonly expression: string
}

/** Expressions for a metric; `by` is the label to keep apart. */
export function offers(name: string, kind: Kind, by: string | undefined): readonly Offer[] {
  const inner = kind === 'gauge' ? selector(name) : `rate(${selector(name)}[5m])`
  const apart = by === undefined ? '' : ` by (${label(by)})`
  const sums: Offer[] = [
    { title: by === undefined ? 'Sum' : `Sum by ${by}`, expression: `sum${apart}(${inner})` },
    { title: by === undefined ? 'Average' : `Average by ${by}`, expression: `avg${apart}(${inner})` },
    { title: 'Top 5', expression: `topk(5, ${inner})` }
  ]
  const quantiles =
    kind === 'histogram'
      ? [0.5, 0.95, 0.99].map(q => ({ title: `${q * 100} % quantile`, expression: quantile(name, q, { by }) }))
      : [{ title: '95 % quantile', expression: `quantile${apart}(0.95, ${inner})` }]
  const heat: Offer[] = kind === 'histogram' ? [{ title: 'Heat map', expression: increases(name) }] : []
  return [
    ...heat,
    { title: 'As it is', expression: selector(name) },
    ...(kind === 'gauge' ? [] : [{ title: 'Rate', expression: `rate(${selector(name)}[5m])` }]),
    ...sums,
    ...quantiles
  ]
}

/** PromQL for the increase of each bucket. */
function increases(name: string): string {
  return `sum${name.endsWith('_bucket') ? ' by (le) ' : ''}(increase(${selector(name)}[5m]))`
}

/** Classic buckets are told apart by `le`; native histograms have none. */
function quantile(
  name: string,
  q: number,
  { by, matchers }: { readonly by?: string | undefined; readonly matchers?: string }
): string {
  const kept = [...(name.endsWith('_bucket') ? ['le'] : []), ...(by === undefined ? [] : [label(by)])]
  const apart = kept.length === 0 ? '' : ` by (${kept.join(', ')})`
  return `histogram_quantile(${q}, sum${apart}(rate(${selector(name, matchers)}[5m])))`
}
