// Messages on their way to the store: parsed, put into columns, written; tried again while the store has no room.
import { checkGrowth, isDbError, pause, tableLimits } from 'weir-server'
import { columnsOf } from './columns.js'
import { parseMessage } from './message.js'

/** Statuses of errors that pass. */
const passing = new Set([429, 503])

export function createReceive({ store, metrics }, options, zone) {
  const limits = tableLimits('syslog', options)
  const labels = ['plugin', 'reason']
  const skipped = metrics.counter('svc_items_skipped_total', 'Items left out because of an error.', labels)
  const write = async (ctx, messages) => {
    const { table } = options
    const columns = columnsOf(messages, options, store.table(ctx.db, table))
    const rows = { table, rows: messages.length, columns, options: { append_mode: true } }
    checkGrowth(store, ctx.db, [rows], limits)
    await store.write(ctx, [rows])
  }
  return {
    /** `received`: bytes of each message and the address they came from. Waits as long as the store has no room. */
    async store(ctx, received) {
      const now = BigInt(Date.now()) * 1_000_000n
      const messages = received.map(({ bytes, from }) => ({ ...parseMessage(bytes, now, zone), from }))
      for (;;) {
        try {
          return await write(ctx, messages)
        } catch (error) {
          if (!isDbError(error) || !passing.has(error.status)) throw error
          await pause((error.retryAfter ?? 1) * 1000, { signal: ctx.signal })
        }
      }
    },
    /** Counts messages that were too long. */
    skip(count) {
      if (count > 0) skipped.add(count, { plugin: 'syslog', reason: 'too_long' })
    }
  }
}
