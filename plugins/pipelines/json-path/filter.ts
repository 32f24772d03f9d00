// Reads the filters of a JSONPath, such as `@.price < 10 && @.name`.
import { compileRegex, DbError, type ItemValue, parseJson } from '../../../core/compute.ts'
import { expect, fault, nest, type PathCursor, readMatch, readQuoted, skipSpace, takes } from './cursor.ts'
import type { Comparison, Operand, Query, Segment, Test } from './path.ts'

type ReadSegments = (cursor: PathCursor) => Segment[]

/** Reads a test; `segments` reads what follows `$` or `@`. */
export function parseTest(cursor: PathCursor, segments: ReadSegments): Test {
  const tests = [parseAll(cursor, segments)]
  while (takes(cursor, '||')) tests.push(parseAll(cursor, segments))
  return tests.length === 1 ? tests[0]! : { kind: 'any', tests }
}

function parseAll(cursor: PathCursor, segments: ReadSegments): Test {
  const tests = [parseOne(cursor, segments)]
  while (takes(cursor, '&&')) tests.push(parseOne(cursor, segments))
  return tests.length === 1 ? tests[0]! : { kind: 'all', tests }
}

function parseOne(cursor: PathCursor, segments: ReadSegments): Test {
  if (takes(cursor, '!')) return { kind: 'not', test: nest(cursor, () => parseOne(cursor, segments)) }
  if (takes(cursor, '(')) {
    const test = nest(cursor, () => parseTest(cursor, segments))
    expect(cursor, ')')
    return test
  }
  skipSpace(cursor)
  const call = readMatch(cursor, /(?:match|search)(?=\()/y)
  if (call !== undefined) return parseMatch(cursor, call === 'match', segments)
  const left = parseOperand(cursor, segments)
  skipSpace(cursor)
  const by = readMatch(cursor, /==|!=|<=|>=|=~|<|>/y)
  if (by === '=~') return { kind: 'matches', operand: single(cursor, left), regex: readRegex(cursor) }
  if (by === undefined) {
    if (left.kind !== 'query') throw fault(cursor, 'a comparison')
    return { kind: 'exists', query: left }
  }
  const right = single(cursor, parseOperand(cursor, segments))
  return { kind: 'compare', by: by as Comparison, left: single(cursor, left), right }
}

/** `match(@.a, 'whole')` and `search(@.a, 'part')`. */
function parseMatch(cursor: PathCursor, whole: boolean, segments: ReadSegments): Test {
  expect(cursor, '(')
  const operand = single(cursor, parseOperand(cursor, segments))
  expect(cursor, ',')
  skipSpace(cursor)
  const source = readQuoted(cursor)
  if (source === undefined) throw fault(cursor, 'a regular expression in quotes')
  expect(cursor, ')')
  return { kind: 'matches', operand, regex: compileRegex(whole ? `^(?:${source})$` : source) }
}

/** Behind `=~`: in quotes, or between slashes with flags. */
function readRegex(cursor: PathCursor) {
  skipSpace(cursor)
  const quoted = readQuoted(cursor)
  if (quoted !== undefined) return compileRegex(quoted)
  const slashed = readMatch(cursor, /\/(?:[^\\/]|\\.)*\/[ims]*/y)
  if (slashed === undefined) throw fault(cursor, 'a regular expression')
  const end = slashed.lastIndexOf('/')
  return compileRegex(slashed.slice(1, end).replaceAll('\\/', '/'), slashed.slice(end + 1))
}

function parseOperand(cursor: PathCursor, segments: ReadSegments): Operand {
  skipSpace(cursor)
  if (cursor.text[cursor.at] === '$' || cursor.text[cursor.at] === '@') return parseQuery(cursor, segments)
  const call = readMatch(cursor, /(?:length|count|value)(?=\()/y)
  if (call === undefined) return { kind: 'literal', value: parseLiteral(cursor) }
  expect(cursor, '(')
  const argument = nest(cursor, () => parseOperand(cursor, segments))
  expect(cursor, ')')
  if (call === 'length') return { kind: 'length', operand: single(cursor, argument) }
  if (argument.kind !== 'query') throw fault(cursor, `a path in ${call}()`)
  return call === 'count' ? { kind: 'count', query: argument } : { kind: 'value', query: argument }
}

function parseQuery(cursor: PathCursor, segments: ReadSegments): Query {
  const absolute = cursor.text[cursor.at++] === '$'
  return { kind: 'query', absolute, segments: segments(cursor) }
}

function parseLiteral(cursor: PathCursor): ItemValue {
  const quoted = readQuoted(cursor)
  if (quoted !== undefined) return quoted
  const text = readMatch(cursor, /(?:true|false|null)(?!\w)|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y)
  if (text === undefined) throw fault(cursor, "'@', '$', a value or a function")
  return parseJson(text)
}

/** An operand must be one value: a path that can select several cannot be compared. */
function single(cursor: PathCursor, operand: Operand): Operand {
  if (operand.kind !== 'query') return operand
  const one = operand.segments.every(
    ({ descends, selectors }) => !descends && selectors.length === 1 && /^(?:name|index)$/.test(selectors[0]!.kind)
  )
  if (one) return operand
  const position = `before position ${cursor.at + 1}`
  throw new DbError('InvalidArguments', `a path that can select several values cannot be compared, ${position}`)
}
