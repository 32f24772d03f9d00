// Documents on their way to the store: those of a table and pipeline together, each group one write of its own, as each document has a result.
import { isDbError, nameProblem, Pace, runPaced } from 'weir-server'
import { readBulk } from './bulk.js'

/** @import { IncomingHttpHeaders } from 'node:http' */
/** @import { DbError, PluginCore, RequestContext, Steps } from 'weir-server' */
/** @import { PipelinesService } from 'weir-server/services' */
/** @import { Action, Cause } from './bulk.js' */
/** @import { Options } from './options.js' */

/**
 * What counts for the documents whose action does not say it.
 * @typedef {{ readonly index?: string | undefined, readonly pipeline?: string | undefined }} Defaults
 */

/**
 * The service of the plugin.
 * @typedef {object} Receive
 * @property {(ctx: RequestContext, headers: IncomingHttpHeaders, body: Buffer, defaults: Defaults) => Promise<readonly Action[]>} bulk
 *   Stores the documents of a body into the database of the context. Resolves to the actions of the request, those that were not stored with
 *   an `error`. Throws DbError where the request cannot be read, and where nothing is stored because of something that passes.
 */

/**
 * Actions whose documents are one write.
 * @typedef {{ readonly table: string, readonly pipeline: string, readonly actions: Action[] }} Group
 */

/** A date at the end of the name of an index. */
const date = /[-_.]\d{4}([-.]\d{2}){1,2}$/

/** Statuses of errors that pass: the documents may be sent again. */
const passing = new Set([429, 503])

/**
 * @param {PluginCore} core
 * @param {Options} options
 * @param {PipelinesService} pipelines
 * @returns {Receive}
 */
export function createReceive({ store, metrics }, options, pipelines) {
  const labels = ['plugin', 'reason']
  const skipped = metrics.counter('svc_items_skipped_total', 'Items left out because of an error.', labels)
  /** @param {string} index */
  const tableOf = index => options.table || (options.strip_dates ? index.replace(date, '') : index)

  return {
    async bulk(ctx, headers, body, { index, pipeline }) {
      store.requireDatabase(ctx.db)
      const pace = new Pace(ctx)
      const actions = await runPaced(pace, readBulk(body, { index, pipeline, max: options.max_documents }))
      const groups = groupsOf(actions)
      let stored = 0
      for (const group of groups) {
        try {
          await write(ctx, headers, group, pace)
          stored++
        } catch (error) {
          if (!isDbError(error)) throw error
          if (passing.has(error.status) && stored === 0) throw error
          for (const action of group.actions) action.error = { ...causeOf(error), status: error.status }
        }
      }
      const refused = actions.reduce((sum, { error }) => (error === undefined ? sum : sum + 1), 0)
      if (refused > 0) skipped.add(refused, { plugin: ctx.plugin, reason: 'document' })
      return actions
    }
  }

  /**
   * Marks the actions whose table is none, and those beyond `max_tables`.
   * @param {readonly Action[]} actions
   * @returns {Group[]}
   */
  function groupsOf(actions) {
    /** @type {Map<string, Group>} */
    const groups = new Map()
    /** @type {Set<string>} */
    const tables = new Set()
    for (const action of actions) {
      if (action.error !== undefined) continue
      const table = tableOf(action.index)
      const pipeline = action.pipeline || options.pipeline
      const reason = nameProblem('table', table)
      if (reason === undefined && !tables.has(table) && tables.size === options.max_tables)
        action.error = {
          type: 'illegal_argument_exception',
          reason: `the request has documents for more tables than ${options.max_tables} (max_tables)`
        }
      else if (reason !== undefined) action.error = { type: 'invalid_index_name_exception', reason }
      if (action.error !== undefined) continue
      tables.add(table)
      const key = JSON.stringify([table, pipeline])
      const group = groups.get(key) ?? { table, pipeline, actions: [] }
      group.actions.push(action)
      groups.set(key, group)
    }
    return [...groups.values()]
  }

  /**
   * Marks the actions whose document the pipeline refused. Throws DbError where nothing of the group is stored.
   * @param {RequestContext} ctx
   * @param {IncomingHttpHeaders} headers
   * @param {Group} group
   * @param {Pace} pace
   */
  async function write(ctx, headers, { table, pipeline, actions }, pace) {
    const body = await runPaced(pace, linesOf(actions))
    const named = pipelines.readHeaders(headers)
    const result = await pipelines.runBody(ctx, named.name ?? pipeline, body, 'application/x-ndjson', {
      table,
      customTimeIndex: options.time_index,
      skipError: true,
      ignoreErrors: true,
      maxErrors: actions.length,
      ...(named.version !== undefined && { version: named.version }),
      ...(named.maxNestedLevels !== undefined && { maxNestedLevels: named.maxNestedLevels })
    })
    await store.write(ctx, result.writes)
    for (const { index, message } of result.skipped.errors)
      actions[index].error = { type: 'document_parsing_exception', reason: message }
  }
}

/**
 * The documents of some actions, a line each; an id of theirs becomes the field `_id`. Runs in steps.
 * @param {readonly Action[]} actions
 * @returns {Steps<Buffer>}
 */
function* linesOf(actions) {
  /** @type {Buffer[]} */
  const parts = []
  for (const [i, { document, id }] of actions.entries()) {
    if (i % 256 === 0) yield
    if (id === undefined) parts.push(document, newLine)
    else {
      const isEmpty = /^\{\s*\}/.test(document.subarray(0, 100).toString('latin1'))
      parts.push(Buffer.from(`{"_id":${JSON.stringify(id)}${isEmpty ? '' : ','}`), document.subarray(1), newLine)
    }
  }
  return Buffer.concat(parts)
}

const newLine = Buffer.from('\n')

/**
 * An error as these senders know it.
 * @param {Pick<DbError, 'status' | 'message'>} error
 * @returns {Cause}
 */
export function causeOf({ status, message }) {
  return { type: typeOf(status), reason: message }
}

/** @param {number} status */
function typeOf(status) {
  if (status === 401 || status === 403) return 'security_exception'
  if (status === 404) return 'resource_not_found_exception'
  if (status === 429) return 'es_rejected_execution_exception'
  if (status === 503) return 'unavailable_shards_exception'
  return status < 500 ? 'illegal_argument_exception' : 'exception'
}
