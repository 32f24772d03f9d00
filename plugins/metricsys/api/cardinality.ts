// `status/tsdb`: the metrics with most series, the labels with most values, the label pairs with most series.
import { eachPaced, Pace, type RequestContext, type Store, type Table } from '../../../core/index.ts'
import { type ApiParameters, invalidParameter, limitOf, timeOf } from './parameters.ts'

interface Cardinality {
  readonly data: unknown
  /** Whether some series were not counted. */
  readonly truncated: boolean
}

interface Counted {
  series: number
  readonly byMetric: Map<string, number>
  readonly byLabel: Map<string, CountedLabel>
}

interface CountedLabel {
  /** Of all values. */
  bytes: number
  /** Series by value. */
  readonly values: Map<string, number>
}

/** Default length of each list. */
const usualLimit = 10
const maxLimit = 10_000

/** Counts up to `max` series with samples in the range of the request. `metric` narrows them to one table. */
export async function readCardinality(
  store: Store,
  ctx: RequestContext,
  parameters: ApiParameters,
  max: number
): Promise<Cardinality> {
  const limit = limitOf(parameters) || usualLimit
  if (limit > maxLimit) throw invalidParameter('limit', `limit must not exceed ${maxLimit}`)
  const [from, to] = [timeOf(parameters, 'start'), timeOf(parameters, 'end')]
  const range = { ...(from !== undefined && { from: BigInt(from) }), ...(to !== undefined && { to: BigInt(to) + 1n }) }
  const metric = parameters.one('metric')
  const tables = store.tables(ctx.db).filter(({ name, options, timeIndex }) => {
    const isMetric = options.physical_table !== undefined && timeIndex.type === 'TimestampMillisecond'
    return isMetric && (metric === undefined || name === metric)
  })
  const counted: Counted = { series: 0, byMetric: new Map(), byLabel: new Map() }
  let truncated = false
  for (const [table, ...others] of together(tables)) {
    truncated ||= !(await countSeries(store, ctx, { table: table!, others, range, max }, counted))
    if (truncated) break
  }
  return { data: await describe(counted, limit, new Pace(ctx)), truncated }
}

/** Tables of one physical table are read by one query. */
function together(tables: readonly Table[]): Iterable<readonly Table[]> {
  return Map.groupBy(tables, ({ options }) => JSON.stringify(options)).values()
}

interface Part {
  readonly table: Table
  readonly others: readonly Table[]
  readonly range: { readonly from?: bigint; readonly to?: bigint }
  readonly max: number
}

/** False when the limit of series is reached. */
async function countSeries(
  store: Store,
  ctx: RequestContext,
  { table, others, range, max }: Part,
  counted: Counted
): Promise<boolean> {
  const query = { kind: 'series', table, others, matches: [], values: [], distinct: true, ...range } as const
  const result = await store.query(ctx, query)
  const labelsOf = result.labels!
  const pace = new Pace(ctx)
  const add = (map: Map<string, number>, key: string) => map.set(key, (map.get(key) ?? 0) + 1)
  for await (const { columns } of result.batches()) {
    const all = columns[0]!.values as Uint32Array
    const numbers = all.subarray(0, max - counted.series)
    await eachPaced(pace, numbers, number => {
      const { table, names, values } = labelsOf(number)
      counted.series++
      add(counted.byMetric, table.name)
      for (const [i, name] of names.entries()) {
        if (values[i] === '') continue
        const known = counted.byLabel.get(name)
        const ofLabel = known ?? { bytes: 0, values: new Map() }
        if (known === undefined) counted.byLabel.set(name, ofLabel)
        if (!ofLabel.values.has(values[i]!)) ofLabel.bytes += Buffer.byteLength(values[i]!)
        add(ofLabel.values, values[i]!)
      }
    })
    if (numbers.length < all.length) return false
  }
  return true
}

async function describe({ series, byMetric, byLabel }: Counted, limit: number, pace: Pace) {
  const labels = [...byLabel]
  const pairs: (readonly [string, number])[] = []
  for (const [name, { values }] of labels) {
    // The values with most series per label are enough.
    for (const [value, count] of largest(values, limit)) pairs.push([`${name}=${value}`, count])
    if (pace.isDue) await pace.pause()
  }
  const top = (entries: Iterable<readonly [string, number]>) =>
    largest(entries, limit).map(([name, value]) => ({ name, value }))
  return {
    headStats: { numSeries: series, numLabelPairs: labels.reduce((sum, [, { values }]) => sum + values.size, 0) },
    seriesCountByMetricName: top(byMetric),
    labelValueCountByLabelName: top(labels.map(([name, { values }]) => [name, values.size] as const)),
    memoryInBytesByLabelName: top(labels.map(([name, { bytes }]) => [name, bytes] as const)),
    seriesCountByLabelValuePair: top(pairs)
  }
}

type Entry = readonly [name: string, count: number]

/** The `count` largest entries, largest first; the others are not sorted. */
function largest(entries: Iterable<Entry>, limit: number): readonly Entry[] {
  const compare = (a: Entry, b: Entry) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)
  let kept: Entry[] = []
  let least: Entry | undefined
  for (const entry of entries) {
    if (least !== undefined && compare(entry, least) > 0) continue
    kept.push(entry)
    if (kept.length < 2 * limit) continue
    kept = kept.sort(compare).slice(0, limit)
    least = kept.at(-1)
  }
  return kept.sort(compare).slice(0, limit)
}
