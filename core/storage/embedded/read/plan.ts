// Plans how a query reads a table: which way each file and memtable is read, and why. All such decisions are made here, from facts about the
// parts.
import type { Table, TableColumn } from '../../../model/table.ts'
import type { Condition } from '../../engine.ts'
import type { DataFile } from '../catalog/catalog-rows.ts'
import { hasSeries, isTagged } from '../catalog/logical.ts'
import type { Groups, Pruned } from '../index/prune.ts'
import type { GroupSpan, MemtableRows } from '../memory/memtable.ts'
import type { RowTimes } from '../memory/row-times.ts'
import { endOf } from '../memory/sort-by-series.ts'
import { type Path, type ReadLimits, usualLimits } from './limits.ts'
import { isText } from './samples.ts'

/** Rows in memory, as far as a plan depends on them. */
export interface MemoryPart {
  readonly rows: number
  /** `areDistinct` and `areMicros` are unknown for append mode tables. */
  readonly times: Span & Pick<RowTimes, 'areDistinct' | 'areMicros'>
  readonly writes: readonly MemtableRows[]
}

/** The parts of a table. */
export interface PlanSource<M extends MemoryPart = MemoryPart> {
  readonly table: Table
  readonly files: readonly DataFile[]
  readonly memtables: readonly M[]
  /** Rows before this time (in the time index's unit) have expired. */
  readonly cutoff: bigint | undefined
}

/** The rows a query asks for; others may be read as well. */
export interface Asked {
  readonly where?: Condition | undefined
  /** By file path: what its indexes rule out by the condition. */
  readonly pruned?: ReadonlyMap<string, Pruned>
  /** By file path: the last time of each of its series. Only rows that are the latest of their series are asked for. */
  readonly ends?: ReadonlyMap<string, SeriesEnds>
  /** For samples: the value columns. */
  readonly samples?: readonly TableColumn[]
  /** For samples: paths of files whose times in nanoseconds are known to be whole microseconds. */
  readonly micros?: ReadonlySet<string>
}

/** The last time of each series in a file. */
export interface SeriesEnds {
  readonly series: Uint32Array
  readonly times: Float64Array
}

export interface Step<M extends MemoryPart = MemoryPart> {
  readonly part: DataFile | M
  readonly path: Path
  readonly reason: string
  /** Row groups to read; undefined: all. */
  readonly groups?: Groups
  /** Row groups that the indexes cover. */
  readonly known?: number
  /** For `latest`: earlier rows are not the latest of their series. In the time index's unit. */
  readonly since?: bigint
}

export interface Plan<M extends MemoryPart = MemoryPart> {
  /** Files in write order, then memtables. */
  readonly steps: readonly Step<M>[]
  /** For `series`: rows with the same series and time are versions. */
  readonly versions: boolean
}

/** Plans a step for every file and memtable. */
export function planRead<M extends MemoryPart>(
  source: PlanSource<M>,
  asked: Asked = {},
  limits: ReadLimits = usualLimits
): Plan<M> {
  const files = source.files.toSorted((a, b) => a.minSeq - b.minSeq)
  const skipped = [...files, ...source.memtables].flatMap((part): Step<M>[] => {
    const reason = whySkipped(part, source, asked.where, limits)
    return reason === undefined ? [] : [{ part, path: 'skip', reason }]
  })
  const gone = new Set(skipped.map(({ part }) => part))
  const rest = {
    ...source,
    files: files.filter(file => !gone.has(file)),
    memtables: source.memtables.filter(memtable => !gone.has(memtable))
  }
  const series = asked.samples && planSamples(rest, asked.samples, asked.micros, limits)
  if (series !== undefined && typeof series !== 'string') return { ...series, steps: [...series.steps, ...skipped] }
  const steps = planRows(rest, asked, limits).map(step =>
    series === undefined ? step : { ...step, reason: `${series}; ${step.reason}` }
  )
  return { steps: [...steps, ...skipped], versions: false }
}

/**
 * Like `planRead`, for the last `rows` rows by time. A file without known row groups counts as one group; rows in memory without known times
 * are all read.
 */
export function planLast<M extends MemoryPart>(
  { cutoff }: Pick<PlanSource, 'cutoff'>,
  plan: Plan<M>,
  rows: number,
  groups: ReadonlyMap<DataFile | M, readonly GroupSpan[]>,
  { avoid }: ReadLimits = usualLimits
): Plan<M> {
  if (avoid.has('latest')) return plan
  // Rows that may be hidden are read, but do not count as later rows.
  const spansOf = ({ part, path, groups: pruned }: Step<M>): readonly GroupSpan[] | undefined => {
    if (path !== 'scan' || pruned !== undefined || (cutoff !== undefined && spanOf(part).minTime < cutoff))
      return undefined
    return groups.get(part) ?? (isFile(part) ? [{ rows: part.rows, from: part.minTime }] : undefined)
  }
  const spans = plan.steps.map(spansOf)
  const since = sinceWhen(
    spans.flatMap(each => each ?? []),
    rows
  )
  if (since === undefined) return plan
  const steps = plan.steps.map((step, i): Step<M> => {
    if (spans[i] === undefined) return step
    if (spanOf(step.part).maxTime < since)
      return { ...step, path: 'skip', reason: 'as many rows as are asked for are later' }
    return { ...step, path: 'latest', reason: 'as many rows as are asked for are later than others', since }
  })
  return { ...plan, steps }
}

/** The time from which there are at least so many rows; undefined if there are fewer. */
function sinceWhen(groups: readonly GroupSpan[], rows: number): bigint | undefined {
  let later = 0
  for (const group of groups.toSorted((a, b) => (a.from > b.from ? -1 : a.from < b.from ? 1 : 0))) {
    later += group.rows
    if (later >= rows) return group.from
  }
  return undefined
}

/** Row counts of a part by the value of a column and by time interval. */
export interface KnownCounts {
  /** Interval length in seconds. */
  readonly width: number
  readonly cells: number
}

/** Like `planRead`, for statements that only count rows by one column and time. Undefined if no counts are known. */
export function planCounts<M extends MemoryPart>(
  { cutoff }: Pick<PlanSource, 'cutoff'>,
  { steps, versions }: Plan<M>,
  counts: ReadonlyMap<DataFile | M, KnownCounts>,
  { avoid }: ReadLimits = usualLimits
): Plan<M> | undefined {
  if (avoid.has('counts')) return undefined
  const isKnown = ({ part, path, groups }: Step<M>) =>
    path === 'scan' &&
    groups === undefined &&
    counts.has(part) &&
    (cutoff === undefined || spanOf(part).minTime >= cutoff)
  if (!steps.some(isKnown)) return undefined
  const reason = 'how many rows it has of each value is known'
  return { versions, steps: steps.map(step => (isKnown(step) ? { ...step, path: 'counts', reason } : step)) }
}

export function isFile<M extends MemoryPart>(part: DataFile | M): part is DataFile {
  return 'path' in part
}

/** Files and memtables that may hold a row hidden by another row. */
export function overlapping<M extends MemoryPart>(source: Omit<PlanSource<M>, 'cutoff'>): readonly (DataFile | M)[] {
  const { steps } = planRead({ ...source, cutoff: undefined })
  return steps.filter(({ path }) => path === 'merge').map(({ part }) => part)
}

/** Files whose last times per series speed up a query of the latest rows; undefined if they are not sufficient. */
export function latestFiles(
  { table, view }: Pick<PlanSource, 'table'> & { readonly view: Table | undefined },
  { steps }: Plan,
  { avoid }: ReadLimits
): readonly DataFile[] | undefined {
  const files = steps.filter(({ path }) => path === 'scan').flatMap(({ part }) => (isFile(part) ? [part] : []))
  const areKnown = hasSeries(table) && view === undefined && files.every(file => isTagged(table, file))
  return areKnown && files.length > 0 && !avoid.has('latest') ? files : undefined
}

interface Span {
  readonly minTime: bigint
  readonly maxTime: bigint
}

/** Whether two time spans intersect. */
export function meets(a: Span, b: Span): boolean {
  return a.minTime <= b.maxTime && b.minTime <= a.maxTime
}

function whySkipped(
  part: DataFile | MemoryPart,
  { cutoff }: PlanSource,
  where: Condition | undefined,
  { avoid }: ReadLimits
): string | undefined {
  if (part.rows === 0) return 'it holds no rows'
  if (avoid.has('skip')) return undefined
  const span = spanOf(part)
  if (cutoff !== undefined && span.maxTime < cutoff) return 'its rows are past their time to live'
  return where !== undefined && !mayMeetTimes(where, span) ? 'its rows are outside of the times asked for' : undefined
}

/** Whether rows in a time span can meet the condition. Only conditions on time count, because they hold for all versions of a row. */
export function mayMeetTimes(condition: Condition, span: Span): boolean {
  if (condition.kind === 'all') return condition.of.every(each => mayMeetTimes(each, span))
  if (condition.kind === 'any') return condition.of.some(each => mayMeetTimes(each, span))
  if (condition.kind !== 'time') return true
  const { from, to } = condition
  return (from === undefined || span.maxTime >= from) && (to === undefined || span.minTime < to)
}

/** Plans samples by series number. Returns a text (the reason) if only DuckDB can tell which rows count or what they hold. */
function planSamples<M extends MemoryPart>(
  { table, files, memtables }: PlanSource<M>,
  values: readonly TableColumn[],
  micros: ReadonlySet<string> | undefined,
  { avoid }: ReadLimits
): Plan<M> | string {
  if (avoid.has('series')) return 'reading by series number is turned off'
  if (!hasSeries(table)) return 'the table has no tags'
  const changed = values.find(column => !isPlain(column))
  if (changed !== undefined) return `DuckDB converts the values of ${changed.name}`
  if (files.some(file => !isTagged(table, file))) return 'a file is from before the table had tags'
  const writes = memtables.flatMap(memtable => memtable.writes)
  if (files.some(({ deletes }) => deletes) || writes.some(({ op }) => op === 'delete')) return 'there are deletes'
  if (writes.some(({ tsids }) => tsids === undefined)) return 'there are rows from before the table had tags'
  const asIs = (reason: string, versions: boolean): Plan<M> => ({
    steps: [...files, ...memtables].map(part => ({ part, path: 'series', reason })),
    versions
  })
  if (table.options.append_mode) return asIs('every row counts', false)
  const meeting = partsThatMeet([...files, ...memtables])
  if (meeting.size === 0 && memtables.every(({ times }) => times.areDistinct))
    return asIs('no row hides another', false)
  // Versions are matched by their time as a float, and ordered by when they were written.
  const areMicros = () =>
    files.every(({ path }) => micros?.has(path) === true) && memtables.every(({ times }) => times.areMicros)
  if (table.timeIndex.type === 'TimestampNanosecond' && !areMicros())
    return 'rows whose nanoseconds differ may be versions of one'
  if (values.some(isText)) return 'texts may have versions'
  if (!filesInOrder(files) || !inWriteOrder(writes)) return 'rows that may be versions of one were written alternately'
  return asIs('the row written last counts', true)
}

/** Whether its values need no conversion, which only DuckDB does. */
function isPlain({ was, initial, type }: TableColumn): boolean {
  return was === undefined && initial === undefined && !type.startsWith('Decimal')
}

/** Plans rows read by DuckDB. */
function planRows<M extends MemoryPart>(
  { table, files, memtables }: PlanSource<M>,
  { pruned, ends }: Asked,
  { avoid }: ReadLimits
): Step<M>[] {
  const parts: readonly (DataFile | M)[] = [...files, ...memtables]
  const isAppend = table.options.append_mode === true
  const meeting: ReadonlySet<DataFile | M> = isAppend ? new Set() : partsThatMeet(parts)
  const steps = parts.map((part): Step<M> => {
    const merged = isAppend ? undefined : whyMerged(part, meeting, avoid)
    const path = merged === undefined ? 'scan' : 'merge'
    const reason = merged ?? (isAppend ? 'every row counts' : 'no row hides another')
    const known = isFile(part) ? pruned?.get(part.path) : undefined
    if (known === undefined || known.groups === 0) return { part, path, reason }
    const groups = known[path]
    if (groups?.length === 0)
      return { part, path: 'skip', reason: 'its indexes rule out every row', groups, known: known.groups }
    return { part, path, reason, groups, known: known.groups }
  })
  return ends === undefined ? steps : withLatest(steps, ends, table)
}

function whyMerged<M extends MemoryPart>(
  part: DataFile | M,
  meeting: ReadonlySet<DataFile | M>,
  avoid: ReadonlySet<Path>
): string | undefined {
  if (isFile(part) && part.deletes) return 'it holds deletes'
  if (!isFile(part) && !part.times.areDistinct) return 'it may hold several versions of a row, or deletes'
  if (meeting.has(part)) return 'it shares times with other rows'
  return avoid.has('scan') ? 'reading rows as they are is turned off' : undefined
}

/** Scans files from the time on at which the first series has its latest row there. */
function withLatest<M extends MemoryPart>(
  steps: readonly Step<M>[],
  ends: ReadonlyMap<string, SeriesEnds>,
  { timeIndex }: Table
): Step<M>[] {
  const latest = latestTimes([...ends.values()])
  // Precision that a float loses of a time in nanoseconds.
  const rounding = timeIndex.type === 'TimestampNanosecond' ? 1024n : 0n
  return steps.map((step): Step<M> => {
    const own = step.path === 'scan' && isFile(step.part) ? ends.get(step.part.path) : undefined
    if (own === undefined) return step
    const first = firstLatest(own, latest)
    if (first === undefined) return { ...step, path: 'skip', reason: 'each of its series has a later row elsewhere' }
    return { ...step, path: 'latest', reason: 'earlier rows have a later one', since: BigInt(first) - rounding }
  })
}

/** The latest time of each series. */
function latestTimes(ends: readonly SeriesEnds[]): Float64Array {
  const last = ends.reduce((max, { series }) => series.reduce((a, b) => Math.max(a, b), max), 0)
  const latest = new Float64Array(last + 1).fill(Number.NEGATIVE_INFINITY)
  for (const { series, times } of ends) {
    for (let i = 0; i < series.length; i++) latest[series[i]!] = Math.max(latest[series[i]!]!, times[i]!)
  }
  return latest
}

/** The earliest time at which a series has its latest row in the file; undefined if none has. */
function firstLatest({ series, times }: SeriesEnds, latest: Float64Array): number | undefined {
  let first = Number.POSITIVE_INFINITY
  for (let i = 0; i < series.length; i++) if (times[i] === latest[series[i]!]) first = Math.min(first, times[i]!)
  return first === Number.POSITIVE_INFINITY ? undefined : first
}

function spanOf(part: DataFile | MemoryPart): Span {
  return isFile(part) ? part : part.times
}

/** Parts whose time spans intersect another part's. */
function partsThatMeet<P extends DataFile | MemoryPart>(parts: readonly P[]): ReadonlySet<P> {
  const sorted = parts
    .map(part => ({ part, span: spanOf(part) }))
    .sort((a, b) => (a.span.minTime < b.span.minTime ? -1 : a.span.minTime > b.span.minTime ? 1 : 0))
  const meeting = new Set<P>()
  let reaching: (typeof sorted)[number] | undefined
  for (const next of sorted) {
    if (reaching !== undefined && next.span.minTime <= reaching.span.maxTime) meeting.add(reaching.part).add(next.part)
    if (reaching === undefined || next.span.maxTime > reaching.span.maxTime) reaching = next
  }
  return meeting
}

/** Whether, for each pair of files that intersect, one was written entirely before the other. Files are sorted by first time. */
function filesInOrder(files: readonly DataFile[]): boolean {
  return files.every((file, i) => {
    for (let next = i + 1; next < files.length && files[next]!.minSeq <= file.maxSeq; next++) {
      if (meets(file, files[next]!)) return false
    }
    return true
  })
}

/** Whether each write was written entirely before the next. */
function inWriteOrder(writes: readonly MemtableRows[]): boolean {
  let end = 0
  return writes.every(write => {
    const follows = write.seq >= end
    end = endOf(write)
    return follows
  })
}
