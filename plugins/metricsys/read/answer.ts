// One remote read request: planned, read series by series, and answered in the form the client asked for.

import {
  type Core,
  DbError,
  Pace,
  RegexBudget,
  type RequestContext,
  runPaced,
  type Steps,
  sortPaced
} from '../../../core/index.ts'
import { decodeSnappySteps, encodeSnappySteps, snappyLength, snappySlack } from '../../../core/wire/index.ts'
import { writeFrames } from './chunks.ts'
import { type ReadQuery, readRequest } from './decode.ts'
import { nameLabel, planQuery, type TablePlan } from './plan.ts'
import { writeSamples } from './samples.ts'
import { type Allowance, allowance, compareLabels, type ReadSeries, readSeries } from './series.ts'
import { compareText } from './text.ts'

export interface ReadOptions {
  readonly max_read_metrics: number
  readonly max_read_samples: number
}

interface ReadAnswer {
  readonly kind: 'samples' | 'chunks'
  /** One message for SAMPLES; a stream of frames for STREAMED_XOR_CHUNKS. */
  readonly body: Uint8Array | AsyncIterable<Uint8Array>
}

interface Planned {
  readonly query: ReadQuery
  readonly tables: readonly TablePlan[]
}

/** Checks everything before the answer begins, so that only reading can fail later. */
export async function answerRead(
  core: Core,
  ctx: RequestContext,
  body: Uint8Array,
  options: ReadOptions
): Promise<ReadAnswer> {
  const pace = new Pace(ctx)
  const { max_form_size: max, body_limit } = core.config.http
  const content = await runPaced(pace, inflate(body, max > 0 ? max : body_limit))
  const { queries, answer, takesSamples } = await runPaced(pace, readRequest(content))
  const store = core.store.seenBy(ctx.user)
  const regexes = new RegexBudget()
  const planned: Planned[] = []
  for (const query of queries) {
    const tables = await runPaced(pace, planQuery(store, ctx.db, query, options.max_read_metrics, regexes))
    planned.push({ query, tables })
  }
  const left = allowance(options.max_read_samples)
  const histograms = planned.some(({ tables }) => tables.some(({ histogram }) => histogram !== undefined))
  if (answer === 'chunks' && !histograms) return { kind: 'chunks', body: streamChunks(core, ctx, planned, left, pace) }
  if (!takesSamples)
    throw new DbError('Unsupported', 'native histograms are only read as SAMPLES, which the request does not accept')
  const results: (readonly ReadSeries[])[] = []
  for (const { query, tables } of planned) {
    // A query of no tables is answered at once; there may be many of them.
    if (pace.isDue) await pace.pause()
    results.push(await readAll(core, ctx, tables, query, left, pace))
  }
  const samples = await runPaced(pace, writeSamples(results))
  return { kind: 'samples', body: await runPaced(pace, encodeSnappySteps(samples)) }
}

/** Series of several tables in the order of their labels. */
async function readAll(
  core: Core,
  ctx: RequestContext,
  tables: readonly TablePlan[],
  query: ReadQuery,
  max: Allowance,
  pace: Pace
): Promise<readonly ReadSeries[]> {
  const found: ReadSeries[] = []
  for (const table of tables) {
    for (const series of await readSeries(core.store, ctx, table, query, max, pace)) found.push(series)
  }
  // Those of one table are in order already.
  return tables.length > 1 ? sortPaced(pace, found, (a, b) => compareLabels(a.labels, b.labels)) : found
}

async function* streamChunks(
  core: Core,
  ctx: RequestContext,
  planned: readonly Planned[],
  max: Allowance,
  pace: Pace
): AsyncGenerator<Uint8Array> {
  for (const [i, { query, tables }] of planned.entries()) {
    if (pace.isDue) await pace.pause()
    for (const group of inOrder(tables)) {
      for (const series of await readAll(core, ctx, group, query, max, pace)) {
        for (const frame of writeFrames(series, i)) {
          yield frame
          if (pace.isDue) await pace.pause()
        }
      }
    }
  }
}

/**
 * Groups tables for reading. The answer is sorted by all labels. Where `__name__` sorts before every other label, tables can be read one
 * after the other; the others form a group whose series are merged.
 */
function inOrder(tables: readonly TablePlan[]): readonly (readonly TablePlan[])[] {
  const isMixed = tables.some(({ table }) => table.tags.some(({ name }) => compareText(name, nameLabel) < 0))
  return isMixed ? [tables] : tables.map(table => [table])
}

function* inflate(body: Uint8Array, limit: number): Steps<Uint8Array> {
  const length = snappyLength(body)
  if (limit > 0 && length > limit) {
    throw new DbError(
      'InvalidArguments',
      `the request is larger than ${limit} bytes (http.max_form_size): ${length} bytes once inflated`,
      { status: 413 }
    )
  }
  if (length > body.length * 64 + 64)
    throw new DbError('InvalidArguments', 'not a Snappy block: it is shorter than its length')
  yield length
  const bytes = new Uint8Array(length + snappySlack)
  return bytes.subarray(0, yield* decodeSnappySteps(body, bytes))
}
