// Which queries are slow, and what is done with them: they are counted, logged, and wait to be stored together.
import type { PluginCore } from '../../core/index.ts'
import type { SlowQuery, SlowQueryService } from '../services.ts'
import { type Row, slowQueryWrite } from './columns.ts'
import { withoutSecrets } from './secrets.ts'
import { watch } from './watch.ts'

interface Service extends SlowQueryService {
  /** Resolves when everything observed so far is stored. */
  flush(): Promise<void>
  close(): Promise<void>
}

/** Characters of a query that are stored. */
const textLimit = 4096
/** Rows that may wait to be stored; further ones are only logged and counted. */
const rowsWaiting = 1000

export function createService({ config, log, metrics, plugin, system }: PluginCore): Service {
  const counted = metrics.counter('svc_slow_queries_total', 'Queries slower than slow_query.threshold.', ['plugin'])
  const lost = metrics.counter('svc_slow_queries_lost_total', 'Slow queries that could not be kept in the table.')
  // Its keys are live: read at each use.
  const options = config.slow_query
  let waiting: Row[] = []
  let last = 0n
  let writing: Promise<void> | undefined
  const writeAll = async () => {
    for (let rows = waiting; rows.length > 0; rows = waiting) {
      waiting = []
      try {
        await system.write(plugin, [slowQueryWrite(rows, options.ttl)])
      } catch (error) {
        lost.add(rows.length)
        log.warn({ err: error }, 'slow queries could not be kept')
      }
    }
    writing = undefined
  }
  const keep = (query: SlowQuery) => {
    if (waiting.length >= rowsWaiting) return lost.add(1)
    const now = BigInt(Date.now()) * 1_000_000n
    last = now > last ? now : last + 1n
    waiting.push({ ...query, time: last, threshold: options.threshold })
    writing ??= writeAll()
  }
  const observe: SlowQueryService['observe'] = (ctx, query) => {
    const { enable, record_type, sample_ratio, threshold } = options
    if (!enable || query.cost < threshold) return
    counted.add(1, { plugin: ctx.plugin })
    if (Math.random() >= sample_ratio) return
    const safe = { ...query, query: withoutSecrets(query.query).slice(0, textLimit).toWellFormed() }
    ctx.log.warn({ slow_query: { ...safe, threshold, db: ctx.db, user: ctx.user.name } }, 'slow query')
    if (record_type === 'system_table') keep(safe)
  }
  const flush = async () => writing
  return {
    observe,
    watch: (ctx, query, run) => watch(run, cost => observe(ctx, { query, cost })),
    flush,
    close: flush
  }
}
