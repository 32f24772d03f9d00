// Answers as Elasticsearch gives them.
import { causeOf } from './receive.js'

/** @import { IncomingHttpHeaders } from 'node:http' */
/** @import { DbError, WireError } from 'weir-server' */
/** @import { Action } from './bulk.js' */

/**
 * The members of the result of one action; which there are depends on whether it is stored.
 * @typedef {Readonly<Record<string, unknown>>} Result
 */

/** By this senders tell whom they speak to. */
export const product = { 'x-elastic-product': 'Elasticsearch' }

/**
 * Newer clients want the content type of their own version back.
 * @param {IncomingHttpHeaders} headers of the request
 */
export function contentTypeOf({ accept = '' }) {
  const [, version] = /application\/vnd\.elasticsearch\+json\s*;\s*compatible-with=(\d+)/.exec(accept) ?? []
  return version === undefined ? 'application/json' : `application/vnd.elasticsearch+json;compatible-with=${version}`
}

/**
 * @param {DbError} error
 * @returns {WireError}
 */
export function errorBody(error) {
  const cause = causeOf(error)
  const { status } = error
  return {
    status,
    contentType: 'application/json',
    headers: product,
    body: JSON.stringify({ error: { root_cause: [cause], ...cause }, status })
  }
}

/**
 * The result of one action.
 * @param {Action} action
 * @returns {Result}
 */
export function resultOf({ index, id, error }) {
  const named = { ...(index !== '' && { _index: index }), ...(id !== undefined && { _id: id }) }
  if (error === undefined)
    return {
      ...named,
      _version: 1,
      result: 'created',
      _shards: { total: 1, successful: 1, failed: 0 },
      _seq_no: 0,
      _primary_term: 1,
      status: 201
    }
  const { status = 400, ...cause } = error
  return { ...named, status, error: cause }
}

/**
 * The answer to a bulk request, in pieces of JSON.
 * @param {readonly Action[]} actions
 * @param {number} took milliseconds
 * @param {ReadonlySet<string> | undefined} wanted members of results that the parameter `filter_path` leaves; undefined: all
 * @returns {Generator<string, void, void>}
 */
export function* bulkAnswer(actions, took, wanted) {
  const errors = actions.some(({ error }) => error !== undefined)
  yield `{"took":${took},"errors":${errors},"items":[`
  let text = ''
  let before = ''
  /**
   * Most results are the same as the one before.
   * @type {{ readonly index?: string, readonly operation?: string, readonly text: string }}
   */
  let known = { text: '' }
  for (const action of actions) {
    const { index, operation, id, error } = action
    const isPlain = id === undefined && error === undefined
    if (!isPlain || known.index !== index || known.operation !== operation) {
      const one = pick(resultOf(action), wanted)
      const json = one === undefined ? '' : JSON.stringify({ [operation]: one })
      known = isPlain ? { index, operation, text: json } : { text: json }
    }
    if (known.text === '') continue
    text += before + known.text
    before = ','
    if (text.length > 65_536) {
      yield text
      text = ''
    }
  }
  yield `${text}]}`
}

/**
 * @param {Result} result
 * @param {ReadonlySet<string> | undefined} wanted
 * @returns {Result | undefined}
 */
function pick(result, wanted) {
  if (wanted === undefined) return result
  const entries = Object.entries(result).filter(([name]) => wanted.has(name))
  return entries.length === 0 ? undefined : Object.fromEntries(entries)
}

/**
 * The members of results that are wanted, of `errors,items.*.error,items.*.status`; undefined: all.
 * @param {string | undefined} filterPath
 * @returns {ReadonlySet<string> | undefined}
 */
export function wantedOf(filterPath = '') {
  const paths = filterPath.split(',').map(path => path.trim())
  const items = paths.filter(path => /^items(\.|$)/.test(path))
  if (items.length === 0 || items.some(path => !/^items\.\*\.\w+/.test(path))) return undefined
  return new Set(items.map(path => path.split('.')[2]))
}
