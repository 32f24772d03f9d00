// Trace requests for benches: what services of a shop send, a dozen attributes a span, as one exporter a service would.
import { ProtoWriter } from '../core/wire/index.ts'
import { type Corpus, sequence } from './corpus.ts'
import { attributes, fixed64, type Pairs } from './telemetry-corpus.ts'

interface Shop {
  readonly spans: number
  /** Spans of one request. */
  readonly perBody: number
}

const services = ['frontend', 'cart', 'checkout', 'payment', 'shipping', 'catalog', 'currency', 'email', 'ads', 'quote']
const routes = ['/', '/cart', '/cart/checkout', '/product/:id', '/api/currencies', '/api/recommendations', '/login']
const statements = [
  'SELECT * FROM items WHERE id = $1',
  'INSERT INTO orders VALUES ($1, $2, $3)',
  'UPDATE stock SET n = n - $1'
]

function* spanBodies({ spans, perBody }: Shop): Generator<{ body: Buffer; items: number }> {
  const random = sequence(7)
  const id = (bytes: number) => Buffer.from(Array.from({ length: bytes }, () => Math.floor(random() * 256)))
  const start = BigInt(Date.now() - 3_600_000) * 1_000_000n
  for (let at = 0; at < spans; at += perBody) {
    const items = Math.min(perBody, spans - at)
    const service = services[Math.floor(at / perBody) % services.length]!
    const scope = new ProtoWriter().data(1, new ProtoWriter().text(1, `lib-${service}`).text(2, '1.4.0').bytes)
    let traceId = id(16)
    let parent: Buffer | undefined
    for (let i = 0; i < items; i++) {
      if (i % 6 === 0) {
        traceId = id(16)
        parent = undefined
      }
      const spanId = id(8)
      const begin = start + BigInt(at + i) * 20_000n
      scope.data(
        2,
        oneSpan({ traceId, spanId, parent, begin, long: BigInt(Math.floor(random() ** 4 * 2e9)) }, i, random)
      )
      parent ??= spanId
    }
    const resource = attributes(new ProtoWriter(), 1, [
      ['service.name', service],
      ['service.version', '2.1.3'],
      ['host.name', `node-${at % 12}.internal`],
      ['k8s.pod.name', `${service}-7d9f-${at % 5}`],
      ['process.pid', 1000 + (at % 5)],
      ['telemetry.sdk.language', 'nodejs']
    ])
    const entry = new ProtoWriter().data(1, resource.bytes).data(2, scope.bytes)
    yield { body: Buffer.from(new ProtoWriter().data(1, entry.bytes).bytes), items }
  }
}

interface Ids {
  readonly traceId: Buffer
  readonly spanId: Buffer
  readonly parent: Buffer | undefined
  readonly begin: bigint
  readonly long: bigint
}

function oneSpan({ traceId, spanId, parent, begin, long }: Ids, i: number, random: () => number): Uint8Array {
  const out = new ProtoWriter().data(1, traceId).data(2, spanId)
  const kind = i % 6 === 0 ? 2 : i % 3 === 0 ? 1 : 3
  if (parent !== undefined) out.data(4, parent)
  const route = routes[Math.floor(random() * routes.length)]!
  const failed = random() < 0.02
  out.text(5, kind === 2 ? `GET ${route}` : kind === 3 ? 'pg.query' : 'middleware').uint(6, kind)
  fixed64(fixed64(out, 7, begin), 8, begin + long)
  if (kind === 3) attributes(out, 9, databaseAttributes(random))
  else attributes(out, 9, serverAttributes(route, failed, i, random))
  if (failed) {
    const event = attributes(fixed64(new ProtoWriter(), 1, begin).text(2, 'exception'), 3, [
      ['exception.type', 'TimeoutError'],
      ['exception.message', 'upstream did not answer in time']
    ])
    out.data(11, event.bytes).data(15, new ProtoWriter().text(2, 'upstream').uint(3, 2).bytes)
  }
  return out.bytes
}

function serverAttributes(route: string, failed: boolean, i: number, random: () => number): Pairs {
  return [
    ['http.request.method', 'GET'],
    ['http.route', route],
    ['url.path', route.replace(':id', String(Math.floor(random() * 10_000)))],
    ['url.scheme', 'https'],
    ['http.response.status_code', failed ? 504 : 200],
    ['server.address', 'shop.example'],
    ['server.port', 443],
    ['client.address', `10.${i % 7}.${i % 31}.${Math.floor(random() * 250)}`],
    ['user_agent.original', 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0'],
    ['thread.id', i % 16]
  ]
}

function databaseAttributes(random: () => number): Pairs {
  return [
    ['db.system', 'postgresql'],
    ['db.name', 'shop'],
    ['db.statement', statements[Math.floor(random() * statements.length)]!],
    ['db.operation', 'SELECT'],
    ['server.address', 'pg-1.internal'],
    ['server.port', 5432],
    ['db.user', 'app'],
    ['db.rows', Math.floor(random() * 100)]
  ]
}

export function spanCorpus(shop: Shop): Corpus {
  const bodies = [...spanBodies(shop)]
  return {
    name: 'spans',
    headers: { 'Content-Type': 'application/x-protobuf' },
    bodies: bodies.map(({ body }) => body),
    items: bodies.reduce((sum, { items }) => sum + items, 0)
  }
}
