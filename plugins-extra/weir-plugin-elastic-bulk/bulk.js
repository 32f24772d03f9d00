// The body of a bulk request: lines of actions, most of them followed by a line with a document.
import { DbError, isDbError } from 'weir-server'

const operations = new Set(['index', 'create', 'update', 'delete'])
const lineFeed = 10
const carriageReturn = 13
/** Lines after which others may run. */
const stepLines = 256

/**
 * What a body asks for, in order: of each document its operation, index, id, pipeline, and where it stands in the body. `error` is what is
 * wrong with one. Throws DbError for a body that is no bulk request. Runs in steps.
 */
export function* readBulk(body, { index, pipeline, max }) {
  const actions = []
  const cursor = createLines(body)
  let known = { line: Buffer.alloc(0), action: undefined }
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
    if (!line.equals(known.line)) known = { line, action: readAction(line, cursor.line) }
    const action = { ...known.action, index: known.action.index ?? index, pipeline: known.action.pipeline ?? pipeline }
    if (action.operation !== 'delete') {
      const document = cursor.next()
      if (document === undefined)
        throw new DbError('InvalidArguments', `the request ends behind the action in line ${cursor.line}`)
      action.document = withoutIndent(document)
    }
    action.error = problemOf(action)
    actions.push(action)
  }
}

function createLines(body) {
  let at = 0
  return {
    line: 0,
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

function withoutIndent(line) {
  let at = 0
  while (line[at] === 32 || line[at] === 9) at++
  return line.subarray(at)
}

function readAction(line, number) {
  const wrong = reason => new DbError('InvalidArguments', `malformed action in line ${number}: ${reason}`)
  const action = parse(line)
  const entries = Object.entries(Object(action))
  if (entries.length !== 1 || !operations.has(entries[0][0]))
    throw wrong(`expected one of ${[...operations].join(', ')} with its parameters`)
  const [operation, parameters] = entries[0]
  const { _index: index, _id: id, pipeline } = Object(parameters)
  for (const [name, value] of Object.entries({ _index: index, pipeline }))
    if (value !== undefined && typeof value !== 'string') throw wrong(`${name} must be a text`)
  return { operation, index, pipeline, id: id === undefined || id === null ? undefined : String(id) }
}

function parse(line) {
  try {
    return JSON.parse(line.toString())
  } catch (error) {
    if (isDbError(error)) throw error
    return undefined
  }
}

function problemOf({ operation, index, document }) {
  if (operation === 'update' || operation === 'delete')
    return { type: 'illegal_argument_exception', reason: `${operation} is not supported: documents are only added` }
  if (index === undefined || index === '')
    return { type: 'action_request_validation_exception', reason: 'an index is missing' }
  if (document[0] !== 0x7b)
    return { type: 'document_parsing_exception', reason: 'the document is no object: expected {' }
  return undefined
}
