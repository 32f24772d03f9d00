// Server-sent events of a tail.
import { jsonCells, type ResultBatch, type ResultColumn, writeJson, writeJsonString } from '../../../core/index.ts'

/** Keeps connections open through proxies that close idle ones. */
export const heartbeat = ': still here\n\n'

/** The first event: names and types of the columns. */
export function schemaEvent(columns: readonly ResultColumn[]): string {
  const schemas = columns.map(
    ({ name, type }) => `{"name":${writeJsonString(name)},"data_type":${writeJsonString(type)}}`
  )
  return event('schema', `{"column_schemas":[${schemas.join()}]}`)
}

/** Characters after which a new event begins. */
const longEvent = 1 << 17

/** Up to `max` rows of a batch, in one or more events. */
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

/** Rows were left out because the client reads too slowly. */
export function lostEvent(rows: number): string {
  return event('lost', `{"rows":${rows}}`)
}

/** The last event, unless the connection breaks. */
export function endEvent(reason: string): string {
  return event('end', `{"reason":${writeJsonString(reason)}}`)
}

/** The last event of a failed tail. */
export function failureEvent(code: number, error: string): string {
  return event('failure', writeJson({ code: BigInt(code), error }))
}

/** The JSON contains no line breaks, so one `data` line is enough. */
function event(name: string, json: string): string {
  return `event: ${name}\ndata: ${json}\n\n`
}
