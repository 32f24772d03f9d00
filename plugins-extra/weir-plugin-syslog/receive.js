// Messages on their way to the store: parsed, put into columns, written; tried again while the store has no room.
import { isDbError, pause } from 'weir-server'
import { columnsOf } from './columns.js'
import { parseMessage } from './message.js'

/** @import { PluginCore, RequestContext, TableWrite } from 'weir-server' */
/** @import { Message, Zone } from './message.js' */
/** @import { Options } from './options.js' */

/**
 * A message as it arrived: its bytes without the frame, and the address it came from.
 * @typedef {{ readonly bytes: Buffer, readonly from: string | undefined }} Received
 */

/**
 * The service of the plugin.
 * @typedef {object} Receive
 * @property {(ctx: RequestContext, received: readonly Received[]) => Promise<void>} store Writes messages to the database of the context,
 *   and waits as long as the store has no room. Throws DbError for what cannot be stored later either, and the reason of the signal.
 * @property {(count: number) => void} skip Counts messages that were too long.
 */

/** Statuses of errors that pass. */
const passing = new Set([429, 503])

/**
 * @param {PluginCore} core
 * @param {Options} options
 * @param {Zone} zone of times without an offset
 * @returns {Receive}
 */
export function createReceive({ store, metrics, plugin }, options, zone) {
  const labels = ['plugin', 'reason']
  const skipped = metrics.counter('svc_items_skipped_total', 'Items left out because of an error.', labels)
  /** @param {RequestContext} ctx @param {readonly Message[]} messages */
  const write = async (ctx, messages) => {
    const { table } = options
    const columns = columnsOf(messages, options, store.table(ctx.db, table))
    /** @type {TableWrite} */
    const rows = { table, rows: messages.length, columns, options: { append_mode: true } }
    await store.write(ctx, [rows])
  }
  return {
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
    skip(count) {
      if (count > 0) skipped.add(count, { plugin, reason: 'too_long' })
    }
  }
}
