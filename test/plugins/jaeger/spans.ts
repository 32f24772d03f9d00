// Test data: traces of a small shop with three services, sent by OTLP.
import type { TestServer } from '../../helpers.ts'
import { encodeTraces, type TestResource, type TestSpan } from '../telemetry/traces/encode.ts'

export const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
export const otherTraceId = '00000000000000010000000000000002'
/** Nanoseconds: 2023-11-14T22:13:20Z. */
export const began = 1_700_000_000_000_000_000n
const ms = 1_000_000n

const span = (spanId: string, name: string, kind: number, at: bigint, long: bigint, more: TestSpan = {}): TestSpan => ({
  traceId,
  spanId,
  name,
  kind,
  start: began + at * ms,
  end: began + (at + long) * ms,
  ...more
})

const service = (name: string, spans: readonly TestSpan[]): TestResource => ({
  attributes: [
    ['service.name', name],
    ['host.name', 'h1'],
    ['process.pid', 7n]
  ],
  scopes: [{ name: 'lib', version: '1.2', attributes: [['deep', true]], spans }]
})

export const shop: readonly TestResource[] = [
  service('frontend', [
    span('00f067aa0ba902b7', 'GET /cart', 2, 0n, 900n, {
      traceState: 'a=b',
      attributes: [
        ['http.request.method', 'GET'],
        ['http.response.status_code', 500n],
        ['user.id', 9_007_199_254_740_993n],
        ['ratio', 0.5],
        ['cached', false],
        ['roles', ['a', 'b']],
        ['raw', Buffer.from('hi')]
      ],
      status: { code: 2, message: 'it broke' },
      events: [{ name: 'exception', time: began + 5n * ms, attributes: [['exception.type', 'Oops']] }]
    }),
    span('00f067aa0ba902b8', 'call cart', 3, 10n, 800n, { parentSpanId: '00f067aa0ba902b7' })
  ]),
  service('cart', [
    span('00f067aa0ba902b9', 'Get', 2, 20n, 700n, {
      parentSpanId: '00f067aa0ba902b8',
      status: { code: 1 },
      links: [{ traceId: otherTraceId, spanId: '00f067aa0ba902ff' }]
    })
  ]),
  service('frontend', [
    {
      ...span('00f067aa0ba902ff', 'GET /', 2, 60_000n, 20n, { attributes: [['http.request.method', 'GET']] }),
      traceId: otherTraceId
    }
  ])
]

export async function sendSpans({ main }: Pick<TestServer, 'main'>, resources = shop, headers = {}): Promise<void> {
  const answer = await main.inject({
    method: 'POST',
    url: '/v1/telemetry/v1/traces',
    payload: encodeTraces(resources),
    headers: { 'content-type': 'application/x-protobuf', ...headers }
  })
  if (answer.statusCode !== 200) throw new Error(`${answer.statusCode} ${answer.body}`)
}

/** The member `data` of an answer; the status of an answer that is not a success. */
export async function ask({ main }: Pick<TestServer, 'main'>, path: string) {
  const answer = await main.inject({ url: `/v1/jaeger/api${path}` })
  // biome-ignore lint/suspicious/noExplicitAny: answers of many shapes, looked at by the tests
  const body = answer.json() as any
  return answer.statusCode === 200 ? body.data : `${answer.statusCode} ${body.errors?.[0]?.msg}`
}
