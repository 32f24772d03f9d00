// Decodes the few items of a dry run: JSON documents, lines of JSON, lines of text.
import { DbError, type Item, type ItemValue, parseJson, Timestamp } from '../../core/index.ts'

const mediaTypes = ['application/json', 'application/x-ndjson', 'text/plain']

/** Items of `data` by its media type (parameters ignored). `lenient` leaves out what cannot be read. Throws DbError `InvalidArguments`. */
export function decodeSample(mediaType: string, data: string, lenient: boolean): Item[] {
  switch (mediaType.split(';')[0]!.trim().toLowerCase()) {
    case 'application/json':
      return jsonItems(data, lenient)
    case 'application/x-ndjson':
      return lineItems(data, lenient)
    case 'text/plain':
      return linesOf(data).flatMap(({ text }) => (text === '' ? [] : [{ message: text }]))
    default:
      throw invalid(`invalid content type: ${mediaType}, expected: one of ${mediaTypes.join(', ')}`)
  }
}

/** Items from values that are JSON already: one object, or an array of objects. */
export function valueItems(value: ItemValue): Item[] {
  return (Array.isArray(value) ? value : [value]).map((entry, i) => {
    if (isItem(entry)) return entry
    throw invalid(`item ${i} must be an object`)
  })
}

function jsonItems(data: string, lenient: boolean): Item[] {
  const items: Item[] = []
  for (const text of documentsOf(data)) {
    try {
      items.push(...valueItems(parseJson(text)))
    } catch (cause) {
      if (lenient) break
      if (cause instanceof DbError && cause.message.startsWith('Invalid request parameter')) throw cause
      throw new DbError('InvalidArguments', `Failed to parse payload as json: ${reasonOf(cause)}`, { cause })
    }
  }
  return items
}

function lineItems(data: string, lenient: boolean): Item[] {
  const items: Item[] = []
  for (const { text, index } of linesOf(data)) {
    if (text.trim() === '') continue
    try {
      items.push(...valueItems(parseJson(text)))
    } catch (cause) {
      if (lenient) continue
      throw new DbError('InvalidArguments', `Invalid request parameter: invalid JSON at index: ${index}`, { cause })
    }
  }
  return items
}

function linesOf(data: string): { text: string; index: number }[] {
  return data.split('\n').map((line, index) => ({ text: line.endsWith('\r') ? line.slice(0, -1) : line, index }))
}

/** Cuts a stream of JSON objects and arrays into its documents; the rest, whatever it is, is the last one. */
function documentsOf(data: string): string[] {
  const documents: string[] = []
  let start = 0
  let depth = 0
  for (const match of data.matchAll(/"[^"\\]*(?:\\.[^"\\]*)*"|[[\]{}]/gs)) {
    if ('[{'.includes(match[0])) depth++
    else if (']}'.includes(match[0]) && --depth === 0) {
      const end = match.index + 1
      documents.push(data.slice(start, end))
      start = end
    }
  }
  if (data.slice(start).trim() !== '') documents.push(data.slice(start))
  return documents
}

function isItem(value: ItemValue): value is Item {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Timestamp)
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

function invalid(message: string): DbError {
  return new DbError('InvalidArguments', `Invalid request parameter: ${message}`)
}
