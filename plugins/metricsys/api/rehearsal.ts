// What a server asks of its query API while it rests: about nothing at first, then about series that were written.
import { type Core, internalContext, type Rehearsal, type RequestContext } from '../../../core/index.ts'
import type { PromqlService } from '../../services.ts'
import type { LastSeen, SeenSeries } from '../write/seen-series.ts'

/** Shares of the time. */
const blankShare = 0.2

/** Milliseconds of the ranges, and of their steps. */
const range = 1_800_000
const step = 15

/** Series are counted where the physical table has so many at most. */
const mostSeries = 50_000
/** Series queries of several read about. */
const severalSeries = 20

/** `time`: milliseconds of computing. */
export function createRehearsals(
  core: Parts,
  promql: PromqlService,
  seen: LastSeen,
  time: number
): readonly Rehearsal[] {
  const blank = ['{__name__="",job="none"}', '1', 'sum(rate(none{job="none"}[5m]))', 'none{job="none",zone="none"}']
  let texts: Promise<readonly string[]> | undefined
  return [
    {
      ready: Promise.resolve(),
      time: time * blankShare,
      path: turn => rangePath({ db: 'public', text: blank[turn % blank.length]!, end: Date.now() })
    },
    {
      ready: seen.first,
      time: time * (1 - blankShare),
      async path(turn) {
        const series = seen.series!
        texts ??= textsAbout(core, promql, series, seen.time)
        const known = await texts
        return rangePath({ db: series.db, text: known[turn % known.length]!, end: seen.time })
      }
    }
  ]
}

function rangePath({ db, text, end }: { readonly db: string; readonly text: string; readonly end: number }): string {
  const times = { start: `${(end - range) / 1_000}`, end: `${end / 1_000}`, step: `${step}` }
  return `/v1/metricsys/api/v1/query_range?${new URLSearchParams({ db, query: text, ...times })}`
}

type Parts = Pick<Core, 'config' | 'log' | 'store'>

async function textsAbout(
  core: Parts,
  promql: PromqlService,
  seen: SeenSeries,
  end: number
): Promise<readonly string[]> {
  const metric = `__name__=${JSON.stringify(seen.metric)}`
  const matchers = [...seen.labels].map(([name, value]) => `${JSON.stringify(name)}=${JSON.stringify(value)}`)
  const counts: number[] = []
  const ctx = internalContext(core, 'metricsys', seen.db)
  // One after the other: each of them keeps others waiting for a few milliseconds.
  if (isSmall(core, seen))
    for (const each of matchers) counts.push(await count(promql, ctx, `{${metric},${each}}`, end))
  const closest = (wanted: number) => {
    const far = (i: number) => Math.abs(Math.log(counts[i]! / wanted))
    return counts.length === 0 ? matchers.join() : matchers[[...counts.keys()].sort((a, b) => far(a) - far(b))[0]!]
  }
  const one = closest(1)
  const several = `{${metric},${closest(severalSeries)}}`
  return [`{${metric},${one}}`, `{${one}}`, `rate(${several}[5m])`, `max_over_time(sum(rate(${several}[1m]))[10m:30s])`]
}

/** Whether so many series can be counted without much work. */
function isSmall({ store }: Parts, { db, metric }: SeenSeries): boolean {
  const physical = store.table(db, metric)?.options.physical_table
  const table = physical === undefined ? undefined : store.table(db, physical)
  return table !== undefined && (store.statistics(table).series ?? Number.POSITIVE_INFINITY) <= mostSeries
}

async function count(promql: PromqlService, ctx: RequestContext, selector: string, time: number): Promise<number> {
  const answer = await promql.query(ctx, { text: `count(${selector})`, start: time, end: time })
  const { result } = JSON.parse([...answer.json(0)].join(''))
  return Number(result[0]?.value[1] ?? 0)
}
