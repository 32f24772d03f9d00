// Server-sent events of a tail.
import { jsonCells, type ResultBatch, type ResultColumn, writeJson, writeJsonString } from '../../../core/index.ts'

/** Keeps connections open through proxies that close idle ones. */
export const heartbeat = ': still here\n\n'

/** First of all: names and types of the columns. */
export function schemaEvent(columns: readonly ResultColumn[]): string {
  const schemas = columns.map(
    ({ name, type }) => `{"name":${writeJsonString(name)},"data_type":${writeJsonString(type)}}`
  )
  return event('schema', `{"column_schemas":[${schemas.join()}]}`)
}

/** Characters after which an event ends and another begins. */
const longEvent = 1 << 17

/** `most` rows of a batch, as one event or some. */
export function* rowEvents(columns: readonly ResultColumn[], batch: ResultBatch, max: number): Generator<string> {
  const cells = columns.map(({ type }, c) => jsonCells(type, batch.columns[c]!))
  let text = ''
  for (let row = 0; row < Math.min(batch.rows, max); row++) {
    text += `${text === '' ? '' : ','}[${cells.map(cell => cell(row)).join()}]`
    if (text.length < longEvent) continue
    yield event('rows', `{"rows":[${text}]}`)
    text = ''
  }
  if (text !== '') yield event('rows', `{"rows":[${text}]}`)
}

/** Rows were written that nobody looked at, because the client reads too slowly. */
export function lostEvent(rows: number): string {
  return event('lost', `{"rows":${rows}}`)
}

/** The last event, unless the connection breaks. */
export function endEvent(reason: string): string {
  return event('end', `{"reason":${writeJsonString(reason)}}`)
}

/** The last event of a tail that could not go on. */
export function failureEvent(code: number, error: string): string {
  return event('failure', writeJson({ code: BigInt(code), error }))
}

/** JSON has no line breaks of its own. */
function event(name: string, json: string): string {
  return `event: ${name}\ndata: ${json}\n\n`
}
