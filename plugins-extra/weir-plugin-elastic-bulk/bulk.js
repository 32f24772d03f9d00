// The body of a bulk request: lines of actions, most of them followed by a line with a document.
import { DbError } from 'weir-server'

/** @import { Steps } from 'weir-server' */

const operations = /** @type {const} */ (['index', 'create', 'update', 'delete'])

/** @typedef {typeof operations[number]} Operation */

/**
 * Why a document is not stored, as these senders know it; without a `status` it is 400.
 * @typedef {{ readonly type: string, readonly reason: string, readonly status?: number }} Cause
 */

/**
 * What the line of an action says.
 * @typedef {object} Named
 * @property {Operation} operation
 * @property {string | undefined} index
 * @property {string | undefined} id
 * @property {string | undefined} pipeline
 */

/**
 * What a request asks for one document.
 * @typedef {object} Action
 * @property {Operation} operation
 * @property {string} index empty where neither the action nor the request names one
 * @property {string | undefined} id
 * @property {string | undefined} pipeline
 * @property {Buffer} document JSON on one line, a part of the body; empty where there is none
 * @property {Cause | undefined} error why it is not stored; undefined as far as nothing is wrong
 */

const lineFeed = 10
const carriageReturn = 13
/** Lines after which others may run. */
const stepLines = 256
const noDocument = Buffer.alloc(0)

/**
 * What a body asks for, in order. Throws DbError `InvalidArguments` for a body that is not a bulk request, with status 413 for one with more
 * than `max` documents. Runs in steps.
 * @param {Buffer} body
 * @param {object} request what counts where an action does not say it
 * @param {string | undefined} request.index
 * @param {string | undefined} request.pipeline
 * @param {number} request.max
 * @returns {Steps<Action[]>}
 */
export function* readBulk(body, { index = '', pipeline, max }) {
  /** @type {Action[]} */
  const actions = []
  const cursor = createLines(body)
  /** @type {{ readonly line: Buffer, readonly named: Named } | undefined} */
  let known
  for (let lines = 0; ; lines++) {
    if (lines % stepLines === 0) yield
    const line = cursor.next()
    if (line === undefined) return actions
    if (line.length === 0) continue
    if (actions.length === max)
      throw new DbError('InvalidArguments', `the request has more than ${max} documents (max_documents)`, {
        status: 413
      })
    // Most actions are the same as the one before.
    if (known === undefined || !line.equals(known.line)) known = { line, named: readAction(line, cursor.line) }
    const { operation, id, ...own } = known.named
    const document = operation === 'delete' ? noDocument : cursor.next()
    if (document === undefined)
      throw new DbError('InvalidArguments', `the request ends behind the action in line ${cursor.line}`)
    /** @type {Action} */
    const action = {
      operation,
      index: own.index ?? index,
      id,
      pipeline: own.pipeline ?? pipeline,
      document: withoutIndent(document),
      error: undefined
    }
    action.error = problemOf(action)
    actions.push(action)
  }
}

/** @param {Buffer} body */
function createLines(body) {
  let at = 0
  return {
    /** Number of the line that was read last, from 1. */
    line: 0,
    /** The next line without its end; undefined behind the last one. */
    next() {
      if (at >= body.length) return undefined
      const found = body.indexOf(lineFeed, at)
      const end = found < 0 ? body.length : found
      const line = body.subarray(at, end > at && body[end - 1] === carriageReturn ? end - 1 : end)
      at = end + 1
      this.line++
      return line
    }
  }
}

/** @param {Buffer} line */
function withoutIndent(line) {
  let at = 0
  while (line[at] === 32 || line[at] === 9) at++
  return line.subarray(at)
}

/**
 * @param {Buffer} line
 * @param {number} number of the line
 * @returns {Named}
 */
function readAction(line, number) {
  /** @param {string} reason */
  const wrong = reason => new DbError('InvalidArguments', `malformed action in line ${number}: ${reason}`)
  const [[word, parameters] = ['', undefined], ...more] = entriesOf(parse(line))
  const operation = operations.find(each => each === word)
  if (operation === undefined || more.length > 0)
    throw wrong(`expected one of ${operations.join(', ')} with its parameters`)
  const { _index, _id, pipeline } = Object.fromEntries(entriesOf(parameters))
  /** @param {string} name @param {unknown} value */
  const textOf = (name, value) => {
    if (value !== undefined && typeof value !== 'string') throw wrong(`${name} must be a text`)
    return value
  }
  return {
    operation,
    index: textOf('_index', _index),
    id: _id === undefined || _id === null ? undefined : String(_id),
    pipeline: textOf('pipeline', pipeline)
  }
}

/**
 * Members of an object; none of what is not an object.
 * @param {unknown} value
 * @returns {[string, unknown][]}
 */
function entriesOf(value) {
  return Object.entries(Object(value))
}

/**
 * Undefined for what is not JSON.
 * @param {Buffer} line
 * @returns {unknown}
 */
function parse(line) {
  try {
    return JSON.parse(line.toString())
  } catch {
    return undefined
  }
}

/**
 * @param {Action} action
 * @returns {Cause | undefined}
 */
function problemOf({ operation, index, document }) {
  if (operation === 'update' || operation === 'delete')
    return { type: 'illegal_argument_exception', reason: `${operation} is not supported: documents are only added` }
  if (index === '') return { type: 'action_request_validation_exception', reason: 'an index is missing' }
  if (document[0] !== 0x7b)
    return { type: 'document_parsing_exception', reason: 'the document is not an object: expected {' }
  return undefined
}
