// Parses the labels of a stream: {name="value", other="value"}, with values quoted as in Go.
import { checkLabels } from './push.ts'
import { unquote } from './unquote.ts'

/** Longer label texts are parsed strictly only. */
const maxLooseLength = 16_384

/**
 * The labels; of equal names the last one counts. Undefined if invalid. Accepts values with quotes that the client forgot to escape. Throws DbError
 * `InvalidArguments` for too many of them.
 */
export function parseLabels(text: string): ReadonlyMap<string, string> | undefined {
  const inner = text.trim()
  if (inner === '') return new Map()
  if (!inner.startsWith('{') || !inner.endsWith('}')) return undefined
  return readLabels(inner, strictEnd) ?? (inner.length > maxLooseLength ? undefined : readLabels(inner, looseEnd))
}

/** The position of the quote that ends the value beginning at a position, or -1. */
type FindEnd = (text: string, at: number) => number

function readLabels(text: string, findEnd: FindEnd): ReadonlyMap<string, string> | undefined {
  const labels = new Map<string, string>()
  let at = skipSpace(text, 1)
  while (at < text.length - 1) {
    const nameEnd = endOfName(text, at)
    const open = valueStart(text, nameEnd)
    if (nameEnd === at || open < 0) return undefined
    const raw = text[open] === '`'
    const close = raw ? text.indexOf('`', open + 1) : findEnd(text, open + 1)
    if (close < 0) return undefined
    const inside = text.slice(open + 1, close)
    const value = raw ? inside : (unquote(inside) ?? (findEnd === looseEnd ? inside : undefined))
    if (value === undefined) return undefined
    labels.set(text.slice(at, nameEnd), value)
    checkLabels(labels.size)
    at = skipSpace(text, close + 1)
    if (text[at] === ',') at = skipSpace(text, at + 1)
    else if (at !== text.length - 1) return undefined
  }
  return at === text.length - 1 ? labels : undefined
}

/** The position behind the opening quote of the value of the name that ends here; -1 if there is none. */
function valueStart(text: string, nameEnd: number): number {
  const equals = skipSpace(text, nameEnd)
  if (text[equals] !== '=') return -1
  const open = skipSpace(text, equals + 1)
  return text[open] === '"' || text[open] === '`' ? open : -1
}

const strictEnd: FindEnd = (text, start) => {
  for (let at = start; at < text.length; at++) {
    if (text[at] === '"') return at
    if (text[at] === '\\') at++
  }
  return -1
}

/** A quote that is followed by the end of all labels, or by another label. */
const looseEnd: FindEnd = (text, start) => {
  for (let close = text.indexOf('"', start); close >= 0; close = text.indexOf('"', close + 1)) {
    const next = skipSpace(text, close + 1)
    if (next === text.length - 1) return close
    if (text[next] !== ',') continue
    const name = skipSpace(text, next + 1)
    const nameEnd = endOfName(text, name)
    if (nameEnd > name && valueStart(text, nameEnd) > 0) return close
  }
  return -1
}

function endOfName(text: string, start: number): number {
  let at = start
  while (at < text.length && !' \t\n\r={},"`'.includes(text[at]!)) at++
  return at
}

function skipSpace(text: string, start: number): number {
  let at = start
  while (text[at] === ' ' || text[at] === '\t' || text[at] === '\n' || text[at] === '\r') at++
  return at
}
