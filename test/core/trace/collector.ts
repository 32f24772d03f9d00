// A span collector for tests: accepts OTLP over HTTP and keeps what it receives.
import { createServer, type IncomingHttpHeaders } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Test } from 'tap'
import { ProtoReader } from '../../../core/wire/protobuf.ts'

export interface SentSpan {
  readonly name: string
  readonly trace: string
  readonly id: string
  readonly parent: string
  /** 1 internal, 2 server. */
  readonly kind: number
  readonly facts: Readonly<Record<string, string | number | undefined>>
  /** '' unless it failed. */
  readonly failure: string
}

export interface Collector {
  readonly url: string
  readonly spans: readonly SentSpan[]
  readonly headers: readonly IncomingHttpHeaders[]
  /** Resolves with the first span that fits, once it is there. */
  find(fits: (span: SentSpan) => boolean): Promise<SentSpan>
}

export async function startCollector(t: Test): Promise<Collector> {
  const spans: SentSpan[] = []
  const headers: IncomingHttpHeaders[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', chunk => chunks.push(chunk))
    request.on('end', () => {
      headers.push(request.headers)
      spans.push(...readSpans(Buffer.concat(chunks)))
      response.end()
    })
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    server.close()
    server.closeAllConnections()
  })
  const { port } = server.address() as { port: number }
  return {
    url: `http://127.0.0.1:${port}/v1/traces`,
    spans,
    headers,
    async find(fits) {
      for (let i = 0; i < 1000; i++) {
        const found = spans.find(fits)
        if (found !== undefined) return found
        await sleep(10)
      }
      throw new Error(`no such span among ${spans.map(({ name }) => name).join(', ')}`)
    }
  }
}

/** ExportTraceServiceRequest → resource_spans = 1 → scope_spans = 2 → spans = 2. */
function readSpans(bytes: Uint8Array): SentSpan[] {
  return fields(bytes, 1)
    .flatMap(resource => fields(resource, 2))
    .flatMap(scope => fields(scope, 2))
    .map(span => {
      const hex = (field: number) => Buffer.from(fields(span, field)[0] ?? []).toString('hex')
      const word = (message: Uint8Array, field: number) => Buffer.from(fields(message, field)[0] ?? []).toString()
      const facts = fields(span, 9).map(pair => [word(pair, 1), value(fields(pair, 2)[0]!)] as const)
      return {
        name: word(span, 5),
        trace: hex(1),
        id: hex(2),
        parent: hex(4),
        kind: number(span, 6) ?? 0,
        facts: Object.fromEntries(facts),
        failure: fields(span, 15).flatMap(status => (number(status, 3) === 2 ? [word(status, 2)] : []))[0] ?? ''
      }
    })
}

function value(any: Uint8Array): string | number | undefined {
  const [text] = fields(any, 1)
  return text === undefined ? number(any, 3) : Buffer.from(text).toString()
}

/** The bytes of a field, as often as it is there. */
function fields(message: Uint8Array, wanted: number): Uint8Array[] {
  const reader = new ProtoReader(message)
  const found: Uint8Array[] = []
  while (reader.next()) {
    if (reader.field === wanted && reader.type === 2) found.push(reader.data())
    else reader.skip()
  }
  return found
}

function number(message: Uint8Array, wanted: number): number | undefined {
  const reader = new ProtoReader(message)
  let found: number | undefined
  while (reader.next()) {
    if (reader.field === wanted && reader.type === 0) found = reader.uint()
    else reader.skip()
  }
  return found
}
