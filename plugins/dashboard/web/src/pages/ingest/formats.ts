// Formats that can be sent from the page, and how.
import { json, send } from '../../api/http.ts'
import { countOf } from '../../words.ts'

export interface Field {
  readonly name: string
  readonly title: string
  readonly initial: string
  readonly options?: readonly string[]
  readonly isRequired?: boolean
}

export interface Format {
  readonly name: string
  readonly title: string
  readonly example: string
  readonly fields: readonly Field[]
  /** Sends the data and returns the outcome as text. `value` reads a field. */
  send(body: BodyInit, value: (field: string) => string, signal: AbortSignal): Promise<string>
}

const table: Field = { name: 'table', title: 'Table', initial: 'logs', isRequired: true }
const pipeline: Field = { name: 'pipeline', title: 'Pipeline', initial: 'svc_identity', isRequired: true }

export const formats: readonly Format[] = [
  {
    name: 'lineproto',
    title: 'Line protocol',
    example: 'weather,city=Oslo temp=-3.5,wet=true',
    fields: [{ name: 'precision', title: 'Precision', initial: 'ns', options: ['ns', 'us', 'ms', 's', 'm', 'h'] }],
    async send(body, value, signal) {
      await send('/v1/lineproto/write', { body, query: { precision: value('precision') }, signal })
      return 'Stored.'
    }
  },
  through('ndjson', 'NDJSON', 'application/x-ndjson', '{"level":"info","message":"hello"}'),
  through('json', 'JSON', 'application/json', '[{"level":"info","message":"hello"}]'),
  through('text', 'Text', 'text/plain', '203.0.113.9 - - "GET / HTTP/1.1" 200 512'),
  {
    name: 'tsdbput',
    title: 'JSON put',
    example: '[{"metric":"sys.load","timestamp":1700000000,"value":0.7,"tags":{"host":"a"}}]',
    fields: [],
    async send(body, _, signal) {
      const { success } = await json<{ success: number }>('/v1/tsdbput/api/put', {
        body,
        query: { summary: '' },
        signal
      })
      return `${countOf(success, 'point')} stored.`
    }
  }
]

function through(name: string, title: string, type: string, example: string): Format {
  return {
    name,
    title,
    example,
    fields: [table, pipeline],
    async send(body, value, signal) {
      const query = { table: value('table'), pipeline_name: value('pipeline') }
      const reply = await json<Reply>('/v1/ingest', { body, query, headers: { 'content-type': type }, signal })
      const rows = reply.output.reduce((sum, { affectedrows = 0 }) => sum + affectedrows, 0)
      return `${countOf(rows, 'row')} stored in ${reply.execution_time_ms} ms.`
    }
  }
}

interface Reply {
  readonly output: readonly { readonly affectedrows?: number }[]
  readonly execution_time_ms: number
}
